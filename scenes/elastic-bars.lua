-- An elastic bar flies against another one at rest, stops, and hands its velocity over.
--
-- Shows: two bodies of finite elements in contact, with cells that do not match: the nodes of the
-- finer one touch faces of the coarser one.
-- Reference: de Saint-Venant's solution of 1867 for equal bars: waves of the stress rho c v/2 run
-- from the faces that meet to the free ends and back, 2 L/c, and the bars part with their velocities
-- exchanged.

title "two elastic bars"
local length, width, young, density, speed, cells = 1, 0.1, 1e9, 1000, 20, 40
local c = math.sqrt(young / density)
local trip = length / c

gravity{0, 0, 0}
material{name = "red", density = density, friction = 0.3, colour = "#b5523b"}
material{name = "blue", density = density, friction = 0.3, colour = "#4a6fa5"}
local function bar(name, x, v, across)
    body{name = name, kind = "elastic", material = name, position = {x, 0, 0}, velocity = {v, 0, 0},
         shape = shape.box{size = {length, width, width}}, cells = {cells, across, across},
         young = young, poisson = 0, energy = "linear"}
    history{name = "velocity of " .. name, quantity = "velocity", body = name, component = "x"}
end
bar("red", 0, speed, 1)
bar("blue", length + 1e-9, 0, 2)
scheme "theta"
run{step = trip / (2 * cells), duration = 3 * trip}
history{name = "force", quantity = "contact_force", body = "blue", component = "x"}
history{name = "stress", quantity = "stress_x", body = "blue", component = "x"}

local source = "wave solution; an end is as heavy as half a cell"
check{name = "velocity handed over", quantity = "velocity", body = "blue", component = "x",
      value = speed, tolerance = 0.04 * speed, source = source}
check{name = "velocity left", quantity = "velocity", body = "red", component = "x", value = 0,
      tolerance = 0.04 * speed, source = source}
check{name = "mean stress when the wave has reached the end", quantity = "stress_x", body = "blue",
      component = "x", reduction = "least", value = -density * c * speed / 2,
      tolerance = 0.03 * density * c * speed / 2, source = "-rho c v/2"}
