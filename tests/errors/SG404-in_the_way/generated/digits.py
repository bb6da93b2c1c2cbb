mine = True
