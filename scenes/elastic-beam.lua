-- An elastic beam, held at its left end, bends far up under a force at the right one.
--
-- Shows: a solid of finite elements with large rotations, quasi-statics without masses.
-- Reference: the elastica with P L^2 = E I, whose tip is at (0.94357, 0.30172) L with a slope of
-- 0.4614 rad (Bisshopp and Drucker 1945); here of the lower corner of the tip, for a beam of 1/20 of
-- its length in height.

title "elastic beam"
local length, height, young, cells = 2, 0.1, 1e9, 20
system "elastic-box" {length = length, width = height, height = height,
                      cells_x = cells, cell = "tet10", material = "corotated", young = young,
                      poisson = 0, gravity = 0, floor = false, held = true,
                      shear = young * height^2 / (12 * length^2)}
scheme "quasi-static" {inertia = "none", iterations = 30}
run{step = 1, duration = 1}
history{name = "tip x", quantity = "q", component = 3 * cells - 2}
history{name = "tip z", quantity = "q", component = 3 * cells}

local slope, source = 0.4614, "elastica, Bisshopp and Drucker 1945"
check{name = "tip back", quantity = "q", component = 3 * cells - 2, tolerance = 2e-3, source = source,
      value = (0.94357 - 1) * length + height / 2 * math.sin(slope)}
check{name = "tip up", quantity = "q", component = 3 * cells, tolerance = 2e-3, source = source,
      value = 0.30172 * length + height / 2 * (1 - math.cos(slope))}
