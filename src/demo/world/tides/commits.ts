import { added as add, type Pushed } from '../../world-types.ts'

/** What was pushed to `main`, oldest first. */
export const pushed: readonly Pushed[] = [
  [
    '81d 10:30',
    'noor',
    'Add up the parts of a tide',
    {
      'README.md': '# Tides\n\nHow high the water is at a stop, and which boats may land.\n',
      'tides/height.py':
        'from math import cos, radians\n\n\ndef height(parts, hours):\n    """Metres above chart datum; a part has an amplitude, a speed in degrees an hour, and a phase."""\n    return sum(a * cos(radians(speed * hours - phase)) for a, speed, phase in parts)\n',
    },
  ],
  [
    '81d 13:00',
    'noor',
    'Compare with the table of the harbour',
    {
      'tests/test_height.py':
        'from tides.height import height\n\n\ndef test_high_water():\n    assert abs(height([(1.2, 28.984, 0)], 0) - 1.2) < 0.01\n',
    },
  ],
  [
    '80d 11:10',
    'noor',
    'Read the parts of a harbour from a file',
    { 'data/halmhavn.csv': 'name,amplitude,speed,phase\nM2,1.21,28.984,112\nS2,0.41,30.000,150\n' },
  ],
  [
    '80d 15:40',
    'noor',
    'Add Skarv and Oster',
    {
      'data/skarv.csv': 'name,amplitude,speed,phase\nM2,1.32,28.984,118\n',
      'data/oster.csv': 'name,amplitude,speed,phase\nM2,0.98,28.984,104\n',
    },
  ],
  [
    '79d 9:20',
    'noor',
    'Refuse a part without a speed',
    {
      'tides/parts.py':
        'def checked(part):\n    amplitude, speed, phase = part\n    if speed <= 0:\n        raise ValueError("a part of a tide moves")\n    return part\n',
    },
  ],
  [
    '79d 10:45',
    'noor',
    'Read parts with a test',
    {
      'tests/test_parts.py':
        'import pytest\n\nfrom tides.parts import checked\n\n\ndef test_speed():\n    with pytest.raises(ValueError):\n        checked((1, 0, 0))\n',
    },
  ],
  [
    '78d 14:30',
    'noor',
    'Answer by HTTP',
    { 'tides/__main__.py': 'from http.server import HTTPServer\n\nHTTPServer(("", 8060), None)\n' },
  ],
  [
    '72d 9:25',
    'noor',
    'Find high and low water',
    {
      'tides/extremes.py':
        'def extremes(heights):\n    """The places in a list at which it turns."""\n    return [i for i in range(1, len(heights) - 1) if (heights[i] - heights[i - 1]) * (heights[i + 1] - heights[i]) < 0]\n',
    },
  ],
  [
    '72d 11:45',
    'noor',
    'Test a day with three of them',
    {
      'tests/test_extremes.py':
        'from tides.extremes import extremes\n\n\ndef test_turns():\n    assert extremes([0, 1, 0, -1, 0]) == [1, 3]\n',
    },
  ],
  [
    '69d 14:15',
    'noor',
    'Say which boats may land',
    { 'tides/landing.py': 'def may_land(depth, draught, below_keel=0.5):\n    return depth - draught >= below_keel\n' },
  ],
  [
    '68d 9:30',
    'noor',
    'Leave half a metre below the keel',
    {
      'tests/test_landing.py':
        'from tides.landing import may_land\n\n\ndef test_keel():\n    assert not may_land(2.4, 2.0)\n',
    },
  ],
  ['68d 11:05', 'noor', 'List the draughts of boats', { 'data/boats.csv': 'boat,draught\nTern,1.4\nPetrel,2.0\n' }],
  [
    '61d 17:20',
    'pavel',
    'Pack it for the server',
    { 'pyproject.toml': '[project]\nname = "tides"\nversion = "0.1.0"\n' },
  ],
  [
    '61d 18:05',
    'pavel',
    'Start it with the others',
    { 'tides.service': '[Service]\nExecStart=/usr/bin/python3 -m tides\nRestart=always\n' },
  ],
  [
    '53d 9:40',
    'noor',
    'Count hours from the right epoch (#3)',
    {
      'tides/epoch.py':
        'from datetime import datetime, timezone\n\nEPOCH = datetime(2000, 1, 1, tzinfo=timezone.utc)\n',
    },
  ],
  [
    '53d 11:30',
    'noor',
    'Leave summer time to those who show it',
    {
      'tides/epoch.py': add(
        '\n\ndef hours_since(moment):\n    """Hours of universal time."""\n    return (moment - EPOCH).total_seconds() / 3600\n',
      ),
    },
  ],
  [
    '52d 9:15',
    'noor',
    'Test the night on which summer time begins',
    {
      'tests/test_epoch.py':
        'from datetime import datetime, timezone\n\nfrom tides.epoch import hours_since\n\n\ndef test_epoch():\n    assert hours_since(datetime(2000, 1, 2, tzinfo=timezone.utc)) == 24\n',
    },
  ],
  [
    '46d 10:50',
    'noor',
    'Add what the wind does',
    {
      'tides/wind.py':
        'def surge(speed, onshore):\n    """Metres by which the wind raises the water: a rule of thumb of the harbour master of Oster."""\n    return 0.003 * speed * speed * (1 if onshore else -1)\n',
    },
  ],
  [
    '46d 13:35',
    'noor',
    'Test a gale',
    {
      'tests/test_wind.py':
        'from tides.wind import surge\n\n\ndef test_gale():\n    assert 1.0 < surge(20, True) < 1.5\n',
    },
  ],
  ['35d 9:15', 'noor', 'Warn two hours before a landing is dry', { 'tides/landing.py': add('\n\nWARN_HOURS = 2\n') }],
  [
    '34d 10:20',
    'noor',
    'Say it in the words of the harbour',
    { 'tides/words.py': 'WORDS = {"rising": "flood", "falling": "ebb"}\n' },
  ],
  [
    '34d 14:10',
    'noor',
    'Test that nobody is warned at night',
    {
      'tests/test_words.py':
        'from tides.words import WORDS\n\n\ndef test_words():\n    assert WORDS["rising"] == "flood"\n',
    },
  ],
  [
    '29d 15:20',
    'noor',
    'Keep results of a day',
    {
      'tides/cache.py':
        'from functools import lru_cache\n\n\n@lru_cache(maxsize=512)\ndef day_of(harbour, day):\n    return harbour, day\n',
    },
  ],
  [
    '20d 10:05',
    'noor',
    'Draw the curve of a day',
    {
      'tides/curve.py':
        'def points(heights, width=600, tall=120):\n    step = width / (len(heights) - 1)\n    return " ".join(f"{i * step:.0f},{tall / 2 - h * 30:.0f}" for i, h in enumerate(heights))\n',
    },
  ],
  [
    '20d 12:50',
    'yuki',
    'Draw it in the colours of the kit',
    { 'tides/curve.css': 'polyline { fill: none; stroke: var(--sea); stroke-width: 2 }\n' },
  ],
  [
    '18d 9:40',
    'noor',
    'Describe the curve for those who listen',
    { 'tides/curve.py': add('\n\ndef described(times):\n    return "High water at " + " and ".join(times)\n') },
  ],
  [
    '11d 9:30',
    'noor',
    'Add the harbours of Isle of Hale',
    { 'data/hale.csv': 'name,amplitude,speed,phase\nM2,2.05,28.984,301\nS2,0.77,30.000,340\n' },
  ],
  [
    '10d 10:30',
    'noor',
    'Say when a ramp is steep',
    { 'tides/ramp.py': 'STEEPEST = 1 / 8\n\n\ndef is_steep(rise, length):\n    return rise / length > STEEPEST\n' },
  ],
  [
    '10d 11:50',
    'noor',
    'Test the ramp of Hale',
    {
      'tests/test_ramp.py':
        'from tides.ramp import is_steep\n\n\ndef test_hale():\n    assert is_steep(3, 20) and not is_steep(2, 20)\n',
    },
  ],
  ['8d 9:25', 'noor', 'Add the length of each ramp', { 'data/ramps.csv': 'stop,metres\nHale,20\nSkarv,14\n' }],
  [
    '5d 14:25',
    'noor',
    'Name where the numbers are from',
    { 'data/README.md': '# Data\n\nMade up for this world. Do not sail by them.\n' },
  ],
]
