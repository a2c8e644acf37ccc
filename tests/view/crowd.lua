-- Five thousand blocks that tumble and bounce on a floor, for the size and speed of the viewer.
-- They are too far apart to touch each other: only the floor is hit, so that a run is short.
title "crowd of blocks"
local count = param("count", 5000)
local frames = param("frames", 500)
local side = math.ceil(math.sqrt(count))
local seed = 1
local function random()
  seed = (seed * 16807) % 2147483647
  return seed / 2147483647
end
floor{}
for i = 0, count - 1 do
  body{name = "block " .. i, mass = 1, position = {i % side, i // side, 0.4 + random()},
       velocity = {0.2 * random() - 0.1, 0.2 * random() - 0.1, 0},
       angular_velocity = {4 * random() - 2, 4 * random() - 2, 4 * random() - 2},
       shape = shape.box{size = {0.2, 0.3, 0.15}}}
end
scheme "moreau"
solver{name = "auto", tolerance = 1e-6}
run{step = 0.004, duration = 0.004 * (frames - 1)}
output{every = 1, snapshot = 0}
