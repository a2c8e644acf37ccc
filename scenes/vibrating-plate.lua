-- A ball on a plate that vibrates up and down.
--
-- Shows: a prescribed motion as a time function. The plate accelerates with up to 2 g, so that the
-- ball lifts off where the plate falls faster than the ball does, and flies.
-- Reference: lift-off at sin(w t) = 1/2; height of the flight afterwards, in closed form.

title "vibrating plate"
local g, r, w = 9.81, 0.05, 10 * math.pi
local A = 2 * g / w^2
material{name = "ball", friction = 0.3}
body{name = "plate", kind = "prescribed", displacement = {0, 0, signal.wave{amplitude = A,
     frequency = w}}, shape = shape.box{size = {1, 1, 0.1}, position = {0, 0, -0.05},
     material = "ball"}}
body{name = "ball", position = {0, 0, r}, velocity = {0, 0, A * w}, mass = 1,
     shape = shape.sphere{radius = r, material = "ball"}}
scheme "koziara"
run{step = 1e-4, duration = 1, short_duration = 0.1}
output{every = 20}
history{quantity = "position", body = "ball", component = "z"}
history{quantity = "position", body = "plate", component = "z"}

local t0 = math.pi / 6 / w
local function flight(t)
    return r + A / 2 + A * w * math.cos(math.pi / 6) * (t - t0) - g / 2 * (t - t0)^2
end
for _, t in ipairs{0.03, 0.05, 0.08} do
    check{name = "height in flight", quantity = "position", body = "ball", component = "z", at = t,
          value = flight(t), tolerance = 1e-5, source = "free flight from the lift-off at w t = pi/6"}
end
