import { added as add, type Pushed } from '../../world-types.ts'

/** What was pushed to `main`, oldest first. */
export const pushed: readonly Pushed[] = [
  [
    '106d 9:30',
    'yuki',
    'Write the colours down',
    {
      'README.md': '# Kit\n\nColours, letters and distances of everything that Slipway shows.\n',
      'css/colours.css': ':root {\n  --sea: #0b5394;\n  --foam: #f4f9fc;\n  --signal: #b03a2e;\n}\n',
    },
  ],
  [
    '106d 11:00',
    'yuki',
    'Add colours for dark rooms',
    {
      'css/colours.css': add(
        '@media (prefers-color-scheme: dark) {\n  :root {\n    --sea: #7fb3d8;\n    --foam: #10202c;\n    --signal: #ec7063;\n  }\n}\n',
      ),
    },
  ],
  [
    '106d 14:20',
    'yuki',
    'Choose sizes of letters',
    { 'css/type.css': ':root {\n  --step-0: 1.125rem;\n  --step-1: 1.4rem;\n  --step-2: 1.75rem;\n}\n' },
  ],
  [
    '105d 10:10',
    'yuki',
    'Use the letters of the device',
    { 'css/type.css': add('body { font-family: system-ui, sans-serif; line-height: 1.4 }\n') },
  ],
  [
    '105d 13:40',
    'yuki',
    'Set distances in steps',
    { 'css/space.css': ':root {\n  --space-1: .5rem;\n  --space-2: 1rem;\n  --space-3: 2rem;\n}\n' },
  ],
  [
    '102d 9:45',
    'yuki',
    'Draw a button',
    {
      'css/button.css':
        'button { border: 2px solid var(--sea); background: var(--sea); color: #fff; padding: var(--space-1) var(--space-2) }\n',
    },
  ],
  [
    '102d 11:30',
    'yuki',
    'Show where the focus is',
    { 'css/focus.css': ':focus-visible { outline: 3px solid var(--sea); outline-offset: 3px }\n' },
  ],
  [
    '100d 10:25',
    'ines',
    'Measure contrasts',
    { 'check/contrast.mjs': 'export const ratio = (light, dark) => (light + 0.05) / (dark + 0.05)\n' },
  ],
  ['100d 14:50', 'ines', 'Refuse contrasts below 4.5', { 'check/contrast.mjs': add('\nexport const least = 4.5\n') }],
  [
    '99d 9:20',
    'yuki',
    'Darken the colour of signals (#2)',
    { 'css/colours.css': [['--signal: #b03a2e', '--signal: #943126']] },
  ],
  [
    '93d 10:00',
    'yuki',
    'Draw tables',
    { 'css/table.css': 'td, th { padding: var(--space-1); border-block-end: 1px solid }\n' },
  ],
  [
    '93d 12:15',
    'yuki',
    'Align figures',
    { 'css/table.css': add('td.number { text-align: end; font-variant-numeric: tabular-nums }\n') },
  ],
  [
    '89d 13:30',
    'yuki',
    'Draw fields of forms',
    { 'css/field.css': 'input, select { font: inherit; border: 2px solid; padding: var(--space-1) }\n' },
  ],
  [
    '83d 9:40',
    'yuki',
    'Colour lines of boats',
    { 'css/lines.css': '.line { border-inline-start: .5rem solid var(--line, var(--sea)) }\n' },
  ],
  [
    '83d 11:20',
    'yuki',
    'Give lines letters too (#5)',
    { 'css/lines.css': add('.line::before { content: attr(data-letter); font-weight: 700 }\n') },
  ],
  [
    '74d 10:30',
    'yuki',
    'Draw signs: late, cancelled, full',
    {
      'signs/late.svg':
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><circle cx="12" cy="12" r="10" fill="none" stroke="currentColor"/><path d="M12 6v6l4 3" stroke="currentColor"/></svg>\n',
      'signs/cancelled.svg':
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path d="M4 4l16 16M20 4 4 20" stroke="currentColor"/></svg>\n',
    },
  ],
  [
    '74d 14:00',
    'yuki',
    'Name each sign in words',
    { 'signs/README.md': '# Signs\n\n| sign | words |\n|---|---|\n| late | late |\n| cancelled | does not sail |\n' },
  ],
  [
    '68d 9:50',
    'ines',
    'Publish the kit as one file',
    {
      'build.mjs':
        "import { readdir, readFile, writeFile } from 'node:fs/promises'\n\nconst files = (await readdir('css')).sort()\nconst texts = await Promise.all(files.map((file) => readFile(`css/${file}`, 'utf8')))\nawait writeFile('kit.css', texts.join(''))\n",
    },
  ],
  [
    '68d 11:40',
    'ines',
    'Put the version on top of it',
    { 'build.mjs': [["texts.join('')", "`/* ${process.env.CI_COMMIT_TAG ?? 'development'} */\\n${texts.join('')}`"]] },
  ],
  [
    '62d 10:15',
    'yuki',
    'Slow nothing down that moves',
    { 'css/motion.css': '@media (prefers-reduced-motion: no-preference) { .board { transition: opacity .2s } }\n' },
  ],
  [
    '56d 9:30',
    'yuki',
    'Enlarge everything on screens at the quay',
    { 'css/quay.css': '.quay { font-size: 2.5rem }\n' },
  ],
  [
    '56d 13:10',
    'yuki',
    'Leave room for the frame of the screen',
    { 'css/quay.css': add('.quay { padding: 3vmin }\n') },
  ],
  [
    '48d 10:40',
    'yuki',
    'Show all parts on one page',
    {
      'index.html':
        '<!doctype html>\n<html lang="en">\n<title>Kit</title>\n<link rel="stylesheet" href="kit.css">\n<h1>Kit</h1>\n<button>Late</button>\n</html>\n',
    },
  ],
  [
    '48d 12:30',
    'yuki',
    'Add the table to the page',
    {
      'index.html': [
        ['<button>Late</button>', '<button>Late</button>\n<table><tr><td class="number">7:45<td>Skarv</table>'],
      ],
    },
  ],
  [
    '37d 9:20',
    'yuki',
    'Draw a switch',
    { 'css/switch.css': '[role="switch"][aria-checked="true"] { background: var(--sea) }\n' },
  ],
  [
    '37d 11:50',
    'ines',
    'Say how a switch is read aloud',
    { 'docs/switch.md': '# Switch\n\nA button with the role `switch`. It says "on" or "off" after its name.\n' },
  ],
  ['30d 10:05', 'yuki', 'Set the width of texts', { 'css/type.css': add('p { max-inline-size: 65ch }\n') }],
  [
    '24d 13:45',
    'yuki',
    'Print without colours',
    { 'css/print.css': '@media print { :root { --sea: #000; --signal: #000; --foam: #fff } }\n' },
  ],
  [
    '19d 9:35',
    'yuki',
    'Show warnings as a row of their own',
    { 'css/warning.css': '.warning { border: 2px solid var(--signal); padding: var(--space-2) }\n' },
  ],
  [
    '14d 10:55',
    'yuki',
    'Write from right to left where it is read so (#9)',
    { 'css/lines.css': [['.line::before { content', '.line::before { margin-inline-end: var(--space-1); content']] },
  ],
  [
    '7d 9:15',
    'yuki',
    'Choose a blue that is seen in the sun',
    { 'css/colours.css': [['--sea: #0b5394', '--sea: #0a4a85']] },
  ],
  [
    '2d 11:25',
    'yuki',
    'Say which parts are new',
    { 'CHANGES.md': '# Changes\n\n- Warnings, a switch, and a darker blue\n' },
  ],
]
