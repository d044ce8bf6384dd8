import type { Project } from '../world-types.ts'

/** What everybody at Slipway has agreed on. */
export const handbook: Project = {
  name: 'Handbook',
  path: 'handbook',
  namespace: 'slipway',
  text: 'How we work. Everybody may change it, by a merge request.',
  visibility: 'public',
  topics: ['handbook'],
  by: 'mara',
  at: '119d 13:00',
  members: { owen: 'developer' },
  starredBy: ['tomas', 'owen'],
  commits: [
    {
      by: 'mara',
      at: '119d 13:20',
      message: 'Begin the handbook',
      files: {
        'README.md':
          '# Handbook\n\nWhat we have agreed on. When you miss something, write it.\n\n- [Days](days.md)\n- [Words](words.md)\n',
        'days.md': '# Days\n\nWe meet on Mondays at 10:00, on the ferry if the weather allows.\n',
      },
    },
    {
      by: 'owen',
      at: '111d 10:00',
      message: 'Say which words we use',
      files: {
        'words.md':
          '# Words\n\n| we say | we do not say |\n|---|---|\n| stop | terminal, pier |\n| boat | vessel |\n| late | subject to delay |\n',
      },
    },
    {
      by: 'pavel',
      at: '105d 09:30',
      message: 'Write down who is called at night',
      files: {
        'on-call.md': '# On call\n\nOne week each. Who was woken up begins at noon.\n',
        'README.md': [['- [Words](words.md)\n', '- [Words](words.md)\n- [On call](on-call.md)\n']],
      },
    },
    {
      by: 'ines',
      at: '98d 14:40',
      message: 'Add what accessible means for us',
      files: {
        'accessible.md':
          '# Accessible\n\n1. It works with a keyboard.\n2. It works with a screen reader.\n3. It works in the sun, with cold fingers, on a moving boat.\n',
        'README.md': [['- [On call](on-call.md)\n', '- [On call](on-call.md)\n- [Accessible](accessible.md)\n']],
      },
    },
    {
      by: 'mara',
      at: '86d 11:15',
      message: 'Move the meeting to Tuesdays\n\nThe Monday boat is full.',
      files: { 'days.md': [['We meet on Mondays', 'We meet on Tuesdays']] },
    },
    {
      by: 'noor',
      at: '77d 16:20',
      message: 'Explain how we write times',
      files: {
        'times.md':
          '# Times\n\n- `07:45`, never `7.45 am`\n- Always with the zone of the harbour\n- A boat after midnight belongs to the day before\n',
      },
    },
    {
      by: 'tomas',
      at: '59d 09:50',
      message: 'Say what a review is for',
      files: {
        'reviews.md':
          '# Reviews\n\nA review asks whether the next person will understand it. Whether it works is what tests are for.\n',
      },
    },
    {
      by: 'owen',
      at: '38d 13:35',
      message: 'Collect answers for harbour masters',
      files: {
        'answers.md':
          '# Answers\n\n**The screen is black.** Switch it off, count to ten, switch it on.\n\n**The page is of yesterday.** Ask which time the screen has.\n',
      },
    },
    {
      by: 'yuki',
      at: '21d 10:05',
      message: 'Add how we name colours',
      files: { 'colours.md': '# Colours\n\nColours have the name of the line. A page never says a colour alone.\n' },
    },
  ],
  mergeRequests: [
    {
      by: 'pavel',
      at: '51d 15:10',
      title: 'Holidays are planned by the tide table',
      text: 'Nobody is away at spring tides of the summer: that is when everything breaks.',
      branch: 'holidays',
      reviewers: ['mara'],
      commits: [
        {
          by: 'pavel',
          at: '51d 14:50',
          message: 'Plan holidays by the tide table',
          files: {
            'holidays.md':
              '# Holidays\n\nTell it four weeks before. Somebody of operations is always there at spring tides.\n',
          },
        },
      ],
      threads: [{ by: 'mara', text: 'I laughed, and then I looked at last year. You are right.' }],
      approved: [{ by: 'mara', at: '50d 09:00' }],
      merged: { by: 'mara', at: '50d 09:05' },
    },
    {
      by: 'owen',
      at: '10d 11:20',
      title: 'Say "on request" and not "by arrangement"',
      text: 'Harbour masters say *on request*.',
      branch: 'on-request',
      reviewers: ['ines', 'yuki'],
      commits: [
        {
          by: 'ines',
          at: '10d 11:00',
          message: 'Say "on request"',
          files: {
            'words.md': [
              ['| late | subject to delay |\n', '| late | subject to delay |\n| on request | by arrangement |\n'],
            ],
          },
        },
      ],
      threads: [{ by: 'yuki', text: 'It is shorter as well. I will change the legend of the printed page.' }],
    },
  ],
  issues: [
    {
      by: 'mara',
      at: '104d 10:00',
      title: 'Where do we write down decisions?',
      text: 'We have decided about time zones three times.',
      labels: ['type::chore'],
      assignees: ['mara'],
      comments: [
        {
          by: 'noor',
          text: 'Here, one file each, with the date and the reason.',
          replies: [{ by: 'tomas', text: 'And with what we did not do.' }],
        },
      ],
      closed: { by: 'mara', at: '76d 15:00' },
    },
    {
      by: 'yuki',
      at: '74d 09:20',
      title: 'Pictures of our stops',
      text: 'New colleagues have never seen Skarv. Could everybody add one photo?',
      labels: ['type::wish'],
      comments: [{ by: 'owen', text: 'I have forty of Oster. In the rain.' }],
    },
    {
      by: 'ines',
      at: '35d 11:10',
      title: 'Days without meetings',
      text: 'Wednesdays and Thursdays?',
      labels: ['type::wish'],
      assignees: ['mara'],
      comments: [
        { by: 'pavel', text: ':thumbsup:' },
        { by: 'mara', text: 'Agreed from next week on. I will write it into *Days*.' },
      ],
      due: '{day+4}',
    },
    {
      by: 'owen',
      at: '16d 14:00',
      title: 'A summer party on the Terna',
      text: '- [x] Ask Lena whether we may\n- [ ] Find an evening without a high wind\n- [ ] Food',
      labels: ['good first issue'],
      assignees: ['owen'],
      comments: [{ by: 'lena', text: 'You may! The captain wants cake.' }],
    },
  ],
}
