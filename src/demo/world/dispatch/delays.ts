import { added as add, type Pushed } from '../../world-types.ts'

/** The third and fourth month: delays. */
export const delays: readonly Pushed[] = [
  [
    '66d 9:10',
    'ines',
    'Say that a boat is late',
    {
      'src/delay.ts':
        'export type Delay = { boat: string; minutes: number; since: Date }\n\n/** The buttons of the desk. */\nexport const steps = [5, 10, 15, 30] as const\n',
    },
  ],
  [
    '66d 11:25',
    'ines',
    'Add up what is pressed twice',
    {
      'src/delay.ts': add(
        '\nexport const later = (delay: Delay, minutes: number): Delay => ({ ...delay, minutes: delay.minutes + minutes })\n',
      ),
    },
  ],
  [
    '65d 9:55',
    'ines',
    'Take a delay back',
    {
      'src/delay.ts': add(
        '\nexport const onTime = ({ boat }: Delay, since: Date): Delay => ({ boat, minutes: 0, since })\n',
      ),
    },
  ],
  [
    '65d 14:40',
    'ines',
    'Test delays',
    {
      'test/delay.test.ts':
        "import assert from 'node:assert/strict'\nimport { test } from 'node:test'\nimport { later } from '../src/delay.ts'\n\ntest('pressing twice adds up', () => {\n  assert.equal(later({ boat: 'Tern', minutes: 5, since: new Date(0) }, 10).minutes, 15)\n})\n",
    },
  ],
  [
    '63d 10:10',
    'ines',
    'End a delay at the last stop',
    {
      'src/delay.ts': add(
        '\n/** Nobody waits any more when the boat has arrived. */\nexport const isOver = (arrived: boolean) => arrived\n',
      ),
    },
  ],
  [
    '61d 9:20',
    'noor',
    'Send delays to the service',
    {
      'src/send.ts':
        "import type { Delay } from './delay.ts'\n\nexport const send = (url: string, delay: Delay) =>\n  fetch(`${url}/delays`, { method: 'POST', body: JSON.stringify(delay) })\n",
    },
  ],
  ['61d 10:35', 'noor', 'Try three times', { 'src/send.ts': add('\nexport const attempts = 3\n') }],
  [
    '60d 13:50',
    'noor',
    'Keep delays while there is no network (#14)',
    {
      'src/queue.ts':
        '/** What could not be sent yet, oldest first. */\nexport const queue: { url: string; body: string }[] = []\n',
    },
  ],
  [
    '60d 16:20',
    'noor',
    'Send the newest delay of a boat only',
    { 'src/queue.ts': add('\nexport const newest = (url: string) => queue.findLast((one) => one.url === url)\n') },
  ],
  [
    '57d 9:45',
    'ines',
    'Show since when a boat is late',
    {
      'src/since.ts':
        'export const sinceOf = (since: Date, now: Date) => `${Math.round((+now - +since) / 60_000)} min`\n',
    },
  ],
  [
    '55d 11:15',
    'yuki',
    'Draw the buttons for thumbs',
    { 'src/style.css': add('.delays button { min-inline-size: 4.5rem; min-block-size: 4.5rem; font-size: 1.5rem }\n') },
  ],
  [
    '55d 13:30',
    'yuki',
    'Leave room between them',
    { 'src/style.css': add('.delays { display: flex; flex-wrap: wrap; gap: 1rem }\n') },
  ],
  [
    '54d 10:00',
    'yuki',
    'Dim the desk at night',
    {
      'src/style.css': add(
        '@media (prefers-color-scheme: dark) { .delays button { background: #1c2833; color: #f4f6f6 } }\n',
      ),
    },
  ],
  [
    '51d 9:30',
    'ines',
    'Ask before more than an hour (#17)',
    {
      'src/delay.ts': add(
        '\n/** Above it the desk asks: a boat that is two hours late is usually a slip of the thumb. */\nexport const askAbove = 60\n',
      ),
    },
  ],
  [
    '50d 10:45',
    'ines',
    'Translate the desk into Norwegian',
    { 'locales/nb.txt': 'boat = båt\nstop = stopp\nlate = forsinket\n' },
  ],
  ['50d 15:05', 'ines', 'Translate what was forgotten', { 'locales/nb.txt': add('undo = angre\nimport = importer\n') }],
  [
    '46d 9:15',
    'tomas',
    'Sign dispatchers in by their company',
    {
      'src/session.ts':
        'export type Session = { user: string; company: string; until: Date }\n\nexport const isOver = ({ until }: Session, now: Date) => until <= now\n',
    },
  ],
  [
    '46d 13:00',
    'tomas',
    'Keep a session for a shift of twelve hours',
    { 'src/session.ts': add('\nexport const shiftMs = 12 * 60 * 60 * 1000\n') },
  ],
  [
    '45d 9:40',
    'tomas',
    'Show dispatchers their own boats only (#20)',
    {
      'src/session.ts': add(
        '\nexport const mayChange = ({ company }: Session, boat: { company: string }) => company === boat.company\n',
      ),
    },
  ],
  [
    '40d 10:20',
    'ines',
    'Read delays aloud',
    {
      'src/aloud.ts':
        'export const sentence = (boat: string, minutes: number) =>\n  minutes === 0 ? `${boat} is on time` : `${boat} is ${minutes} minutes late`\n',
    },
  ],
  [
    '39d 11:35',
    'ines',
    'Say one minute in the singular',
    {
      'src/aloud.ts': [
        [
          '`${boat} is ${minutes} minutes late`',
          "`${boat} is ${minutes} ${minutes === 1 ? 'minute' : 'minutes'} late`",
        ],
      ],
    },
  ],
  ['36d 9:05', 'yuki', 'Print the shift', { 'src/print.css': '@media print { form, button { display: none } }\n' }],
  [
    '32d 9:50',
    'ines',
    'Cancel a sailing with a reason',
    { 'src/cancel.ts': "export const reasons = ['weather', 'engine', 'crew', 'harbour closed'] as const\n" },
  ],
  ['32d 13:25', 'ines', 'Let a reason be written', { 'src/cancel.ts': add('\nexport const longestReason = 140\n') }],
  [
    '31d 10:10',
    'ines',
    'Cancel the rest of the day at once (#23)',
    {
      'src/cancel.ts': add(
        '\nexport const restOfDay = (times: readonly number[], now: number) => times.filter((time) => time > now)\n',
      ),
    },
  ],
  [
    '27d 14:45',
    'tomas',
    'Put the version on the page',
    { 'src/version.ts': "export const version = process.env.CI_COMMIT_SHORT_SHA ?? 'development'\n" },
  ],
  [
    '22d 9:20',
    'ines',
    'Warn when two boats are at one berth',
    {
      'src/berth.ts':
        'export const overlap = (a: [number, number], b: [number, number]) => a[0] < b[1] && b[0] < a[1]\n',
    },
  ],
  [
    '21d 11:00',
    'ines',
    'Leave two minutes between them',
    { 'src/berth.ts': add('\n/** Boats need it to make room. */\nexport const gapMinutes = 2\n') },
  ],
  ['16d 10:30', 'ines', 'Move the warning above the button', { 'docs/keys.md': add('| Esc | closes a warning |\n') }],
  [
    '12d 9:10',
    'ines',
    'Read sheets without seconds (#26)',
    {
      'src/sheet.ts': add("\nexport const withoutSeconds = (time: string) => time.replace(/^(\\d+:\\d+):00$/, '$1')\n"),
    },
  ],
  [
    '8d 13:35',
    'ines',
    'Count sailings of a day in the head',
    { 'src/preview.ts': add('\nexport const headOf = (day: string, count: number) => `${day}, ${count} sailings`\n') },
  ],
  [
    '4d 10:50',
    'ines',
    'Describe a shift from its beginning to its end',
    {
      'docs/shift.md':
        '# A shift\n\n1. Sign in.\n2. Look at the boats that are late already.\n3. Hand over: print the page, and sign out.\n',
    },
  ],
]
