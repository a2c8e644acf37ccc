-- Two bars glued to a hub that turns: one joint holds, the other one does not.
--
-- Shows: bonds of brittle cohesion. They hold bodies that turn together, for any number of turns,
-- and break where the pull is more than strength times area.
-- Reference: the pull on a joint is m w^2 r. The joints have 1.03 and 0.97 of that: one bar stays
-- at its radius r, the other one flies straight on at the speed w r.

title "two bars on a hub"
local w = param("speed", 10)                        -- rad/s
local b, l = 0.1, 0.4                               -- width and length, m
local m, r = 1000 * b * b * l, 0.5 * (b + l)
local pull = m * w * w * r / (b * b)                -- Pa
gravity{0, 0, 0}
material{name = "steel", density = 1000, friction = 2, colour = "#56606b"}
material{name = "strong", density = 1000, friction = 2, colour = "#009e73"}
material{name = "weak", density = 1000, friction = 2, colour = "#d55e00"}
surface{"steel", "strong", friction = 2, cohesion = 1.03 * pull}
surface{"steel", "weak", friction = 2, cohesion = 0.97 * pull}
body{name = "hub", kind = "prescribed", material = "steel", angular_velocity = {0, 0, w},
     shape = shape.box{size = {b, b, b}}}
for side = -1, 1, 2 do
    local kind = side < 0 and "strong" or "weak"
    body{name = kind, material = kind, position = {side * r, 0, 0}, velocity = {0, side * w * r, 0},
         angular_velocity = {0, 0, w}, shape = shape.box{size = {l, b, b}}}
end
scheme "koziara" {rotation = "new3"}
solver "auto" {tolerance = 1e-9}
run{step = 5e-4, duration = 3, short_duration = 1}
output{every = 20}
for _, name in ipairs{"strong", "weak"} do
    history{quantity = "position", body = name, component = "length"}
end

local t = 1
local source = "m w^2 r against strength times area"
check{name = "the strong joint holds", quantity = "position", body = "strong",
      component = "length", value = r, tolerance = 1e-6, source = source}
check{name = "the weak one lets go", quantity = "position", body = "weak", component = "length",
      at = t, value = math.sqrt(r * r + (w * r * t) * (w * r * t)), tolerance = 0.005,
      source = source}
