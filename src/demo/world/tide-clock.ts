import type { Project } from '../world-types.ts'

const sketch = `// Turns a hand once around in 12 hours and 25 minutes, the time between two high waters.
#include <Stepper.h>

const int steps = 2048;
const float periodMinutes = 745.2;

Stepper hand(steps, 8, 10, 9, 11);

void setup() {
  hand.setSpeed(4);
}

void loop() {
  hand.step(1);
  delay(periodMinutes * 60000.0 / steps);
}
`

/** What Noor builds at home. */
export const tideClock: Project = {
  name: 'Tide clock',
  path: 'tide-clock',
  namespace: 'noor',
  text: 'A clock on the wall with one hand: high water at the top, low water below.',
  visibility: 'public',
  topics: ['electronics', 'tides'],
  by: 'noor',
  at: '101d 18:00',
  starredBy: ['yuki', 'pavel'],
  commits: [
    {
      by: 'noor',
      at: '101d 18:30',
      message: 'Draw the face',
      files: {
        'README.md':
          '# Tide clock\n\nOne hand, once around between two high waters.\n\n## Parts\n\n- A stepper motor 28BYJ-48\n- Any small Arduino\n- The lid of a biscuit tin\n',
        'face.svg':
          '<svg xmlns="http://www.w3.org/2000/svg" viewBox="-50 -50 100 100"><circle r="48" fill="none" stroke="#0b5394"/><path d="M0 0V-40" stroke="#000"/></svg>\n',
      },
    },
    { by: 'noor', at: '100d 19:10', message: 'Turn the hand', files: { 'clock/clock.ino': sketch } },
    {
      by: 'noor',
      at: '87d 18:45',
      message: 'Move in smaller steps\n\nThe motor ticked so loudly that nobody could sleep.',
      files: { 'clock/clock.ino': [['hand.setSpeed(4)', 'hand.setSpeed(1)']] },
    },
    {
      by: 'noor',
      at: '71d 20:05',
      message: 'Correct the period by what I measured',
      files: { 'clock/clock.ino': [['745.2', '745.236']] },
    },
    {
      by: 'noor',
      at: '53d 17:30',
      message: 'Say how it is put together',
      files: {
        'README.md': [
          [
            '## Parts',
            '## Put it together\n\n1. Drill a hole of 5 mm into the middle of the lid.\n2. Glue the motor behind it.\n3. Set the hand at high water.\n\n## Parts',
          ],
        ],
      },
    },
    {
      by: 'yuki',
      at: '34d 21:00',
      message: 'Draw waves on the face',
      files: {
        'face.svg': [
          [
            '<path d="M0 0V-40"',
            '<path d="M-30 20q10-8 20 0t20 0 20 0" fill="none" stroke="#0b5394"/><path d="M0 0V-40"',
          ],
        ],
      },
    },
  ],
  members: { yuki: 'developer' },
  issues: [
    {
      by: 'yuki',
      at: '95d 20:15',
      title: 'The face needs waves',
      text: 'Now it looks like a speedometer. May I?',
      comments: [{ by: 'noor', text: 'Please!' }],
      closed: { by: 'noor', at: '33d 19:00' },
    },
    {
      by: 'pavel',
      at: '60d 19:30',
      title: 'Mine is ten minutes behind after a week',
      text: 'I set it at high water on Sunday. Is that the motor, or the moon?',
      comments: [
        { by: 'noor', text: 'The moon: spring tides come early. Set it between spring and neap.' },
        { by: 'pavel', text: 'A clock that depends on the weather. I love it.' },
      ],
    },
    {
      by: 'noor',
      at: '18d 18:10',
      title: 'Run on batteries for a year',
      text: 'The Arduino sleeps between two steps, or it is no clock for a boat.\n\n- [ ] Sleep\n- [ ] Measure the current\n- [x] Choose a battery',
    },
  ],
}
