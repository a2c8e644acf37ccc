-- A mass on a rod swings from the horizontal.
--
-- Shows: a rod as a joint between a body and the ground; second order in the step.
-- Reference: place at t = 1 and period 2.36068 by elliptic integrals (Koziara's thesis, 13.4.1).

title "pendulum"
local g = math.pi * math.pi
gravity{0, 0, -g}
body{name = "bob", kind = "point", mass = 1, position = {1, 0, 1},
     shape = shape.sphere{radius = 0.01}}
joint.rod{name = "rod", a = "bob", point = {1, 0, 1}, to = {0, 0, 1}}
scheme "koziara"
solver "nsgs" {tolerance = 1e-12}
run{step = 0.001, duration = 2.361}
output{every = 10}
history{quantity = "position", body = "bob", component = "x"}
history{quantity = "position", body = "bob", component = "z"}

local source = "Koziara's thesis, 13.4.1; elliptic integrals"
check{name = "x", quantity = "position", body = "bob", component = "x", at = 1,
      value = -0.9871705634, tolerance = 5e-6, source = source}
check{name = "z", quantity = "position", body = "bob", component = "z", at = 1,
      value = 0.8403307208, tolerance = 5e-6, source = source}
check{name = "back after a period", quantity = "position", body = "bob", component = "x",
      value = 1, tolerance = 1e-5, source = source}
check{name = "energy", quantity = "energy", value = g, tolerance = 1e-4, source = source}
