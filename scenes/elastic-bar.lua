-- An elastic bar flies against a wall, is pressed together by a wave, and leaves again.
--
-- Shows: a body of finite elements among rigid ones, contacts at its nodes, an implicit scheme that
-- keeps energy.
-- Reference: de Saint-Venant's solution of 1867: behind the wave, whose speed is c = sqrt(E/rho), the
-- bar stands still under the stress rho c v; the wave runs to the free end and back, 2 L/c, and the
-- bar leaves with the velocity that it came with.

title "elastic bar"
local length, width, young, density, speed, cells = 1, 0.1, 1e9, 1000, 50, 40
local c = math.sqrt(young / density)
local trip = length / c

gravity{0, 0, 0}
material{name = "bar", density = density, friction = 0, colour = "#b5523b"}
body{name = "wall", kind = "fixed", position = {-0.05, 0, 0}, shape = shape.box{size = {0.1, 0.4, 0.4}}}
body{name = "bar", kind = "elastic", material = "bar", position = {length / 2 + 1e-9, 0, 0},
     velocity = {-speed, 0, 0}, shape = shape.box{size = {length, width, width}},
     cells = {cells, 1, 1}, young = young, poisson = 0, energy = "linear"}
scheme "consistent"
run{step = trip / (2 * cells), duration = 3 * trip}
history{name = "force", quantity = "contact_force", body = "bar", component = "x"}
history{name = "velocity", quantity = "velocity", body = "bar", component = "x"}
history{name = "stress", quantity = "stress_x", body = "bar", component = "x"}

local mass = density * length * width^2
check{name = "velocity after", quantity = "velocity", body = "bar", component = "x", value = speed,
      tolerance = 0.04 * speed, source = "wave solution; an end is as heavy as half a cell"}
check{name = "mean stress when the wave has reached the end", quantity = "stress_x", body = "bar",
      component = "x", reduction = "least", value = -density * c * speed,
      tolerance = 0.03 * density * c * speed, source = "-rho c v"}
check{name = "energy, less that of the end's impact", quantity = "energy", value = mass * speed^2 / 2,
      tolerance = mass * speed^2 / (2 * cells), source = "wave solution"}
