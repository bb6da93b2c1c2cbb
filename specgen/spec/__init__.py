"""The spec language as pydantic models: one module a section, one field a key.

A Spec holds only what was said. Defaults that depend on nothing stand in the models; the others are
`None` here and are resolved in the plan. Rules across fields are not here either, but in `checks`.
"""

from specgen.spec.root import Sections, Spec

__all__ = ["Sections", "Spec"]
