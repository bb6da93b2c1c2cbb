"""The stage between checks and templates: a valid Spec in, a Plan in which all is decided out."""

from specgen.plan.model import Plan
from specgen.plan.report import as_yaml
from specgen.plan.resolve import resolve

__all__ = ["Plan", "as_yaml", "resolve"]
