-- Lourenço's dry stone wall with a concrete slab, 30 kN on top and a growing horizontal force (Koziara 2008, section 13.4.9): WALL1 of the
-- study of Newton methods, friction 0.62, bonds of 0.3 MPa under the slab. `control` is "load" (a force of `rate` N/s after `start`, up to
-- `held`), "limit" (1 kN, for stiction limit --vary load) or "displacement" (the slab's lower face is driven at `rate` m/s with the thesis' smooth start).
-- `first` is the course at the base: of "whole" bricks, or one that begins with a "half"; both walls have 147 contacts.
title "Lourenço's dry wall"
local E, nu, mu, l, w, h = 15.5e9, 0.2, param("friction", 0.62), 0.2, 0.2, 0.1
local control, rate, fast, start, held = param("control", "load"), param("rate", 1), param("fast", 100), param("start", 14000), param("held", 1e9)
contacts{rule = param("rule", "centroid")}
gravity{0, 0, -10}
material{name = "stone", density = 2200, friction = mu}
-- for limit analysis the 30 kN are weight, which a load factor leaves alone
material{name = "slab", density = control == "limit" and 2200 + 30e3 / 10 / 0.04 or 2200, friction = mu}
surface{"stone", "slab", friction = mu, cohesion = 0.3e6}
body{name = "base", kind = "fixed", material = "stone", position = {0.5, 0, -0.25}, shape = shape.box{size = {3, 1, 0.5}}}
body{name = "stop", kind = "fixed", material = "stone", position = {-0.05, 0, 0.05}, shape = shape.box{size = {0.1, 0.2, 0.09}}}
local n, first = 0, param("first", "whole")
local function lay(x, course, part)
    n = n + 1
    body{name = "brick-" .. n, material = "stone", kind = "pseudo_rigid", young = E, poisson = nu, position = {x, 0, (course - 0.5) * h},
         shape = shape.box{size = {part * l, w, h}}}
    history{name = "brick-" .. n .. ".least", quantity = "stress_least", body = "brick-" .. n}
    history{name = "brick-" .. n .. ".upright", quantity = "stress_z", component = "z", body = "brick-" .. n}
end
for course = 1, 10 do
    if (course % 2 == 1) == (first == "whole") then
        for i = 1, 5 do lay((i - 0.5) * l, course, 1) end
    else
        lay(0.25 * l, course, 0.5)
        for i = 1, 4 do lay(i * l, course, 1) end
        lay(4.75 * l, course, 0.5)
    end
end
body{name = "slab", material = "slab", kind = "pseudo_rigid", young = E, poisson = nu, position = {0.5, 0, 1.1}, shape = shape.box{size = {1.0, 0.2, 0.2}}}
if control ~= "limit" then load{body = "slab", face = {0, 0, 1}, traction = {0, 0, -30e3 / 0.2}} end
if control == "limit" then
    load{body = "slab", point = {0.5, 0, 1.0}, force = {-1000, 0, 0}}
elseif control == "load" then
    -- fast to `start` newtons, then at `rate`
    load{body = "slab", point = {0.5, 0, 1.0}, force = {function(t)
        local quick = start / fast
        local force = t < quick and fast * t or start + rate * (t - quick)
        return -math.min(force, held)
    end, 0, 0}}
else
    -- the thesis has a = 1e-5 1/s
    local a = param("smooth", 1e-5)
    joint.axial{name = "push", a = "slab", b = "ground", point = {0.5, 0, 1.0}, axis = {-1, 0, 0}, driven = true,
                speed = function(t) return rate * a * t / (1 + a * t) end}
    history{name = "push", quantity = "drive", joint = "push"}
end
scheme "quasi-static" {drive = param("drive", "increment"), iterations = param("iterations", 100), drop = param("drop", 0.1), damping = param("damping", 4), displacement = param("largest", 1e-3), reach = 0}
solver "koziara-newton" {tolerance = 1e-9, second = "auto"}
run{step = 1, duration = param("duration", 200), policy = "retry"}
output{every = param("every", 100)}
history{name = "slab x", quantity = "position", body = "slab", component = "x"}
history{name = "slab z", quantity = "position", body = "slab", component = "z"}
history{name = "load", quantity = "load", body = "slab", component = "x"}
history{name = "shear", quantity = "contact_force", body = "slab", component = "x"}
history{quantity = "contacts"}
