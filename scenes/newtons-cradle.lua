-- Five balls on rods; one is raised and let go.
--
-- Shows: an impact that travels through a row of balls. Rigid simultaneous impacts have no unique
-- outcome, so the balls are 1e-10 apart and the impact passes from ball to ball, one step each.
-- Reference: the period of the ideal cradle is 1.432297 and each step of the wave adds one step of
-- time, so that h = 0.001 gives 1.438; the energy 0.195497 J is kept exactly (Koziara's thesis,
-- 13.4.6).

title "Newton's cradle"
local r, l, gap, raised = 0.05, 0.5, 1e-10, math.pi / 8
material{name = "steel", density = 1000, friction = 0, restitution = 1}
local spacing = 2 * r + gap
for i = 1, 5 do
    local x = (i - 1) * spacing
    local at = {x, 0, 0}
    if i == 1 then at = {-l * math.sin(raised), 0, l * (1 - math.cos(raised))} end
    body{name = "ball" .. i, kind = "point", position = at, material = "steel",
         shape = shape.sphere{radius = r}}
    joint.rod{name = "rod" .. i, a = "ball" .. i, point = at, to = {x, 0, l}}
end
scheme "koziara" {rotation = "new2"}
solver "nsgs" {tolerance = 1e-12}
-- the thesis' law: contacts of balls that touch are impacts one after the other, as their overlaps come
run{step = 0.001, duration = 14.38, short_duration = 1.5, law = "velocity", projection = false}
output{every = 5}
for i = 1, 5, 4 do history{quantity = "position", body = "ball" .. i, component = "x"} end

-- The first ball is back at its start after a period, a turning point. The time is between those of
-- impacts at once (1.4323 s) and of impacts one step after the other (1.438 s): half of their
-- difference moves the ball by 1.4e-5.
local source = "Koziara's thesis, 13.4.6"
check{name = "back after one period", quantity = "position", body = "ball1",
      component = "x", at = 1.4365, value = -l * math.sin(raised), tolerance = 5e-5, source = source}
check{name = "energy", quantity = "energy", value = 0.195497, tolerance = 1e-6, source = source}
check{name = "energy after a period", quantity = "energy", at = 1.438, value = 0.195497,
      tolerance = 1e-6, source = source}
