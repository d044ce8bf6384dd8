import type { Group } from '../world-types.ts'

/** The firm, and its parts. Only operations are private. */
export const groups: readonly Group[] = [
  {
    name: 'Slipway',
    path: 'slipway',
    text: 'Timetables for small ferry companies, on paper, on screens at the quay and on the telephone.',
    visibility: 'public',
    by: 'mara',
    at: '120d 08:00',
    members: {
      tomas: 'maintainer',
      noor: 'maintainer',
      ines: 'developer',
      yuki: 'developer',
      pavel: 'developer',
      owen: 'reporter',
    },
    labels: [
      ['type::bug', '#c0392b', 'It does not do what it says'],
      ['type::wish', '#2471a3', 'Somebody would like to have it'],
      ['type::chore', '#7f8c8d', 'Nobody sees it, and it has to be done'],
      ['priority::now', '#d35400', 'Passengers miss boats'],
      ['priority::soon', '#b7950b', 'In this iteration or the next'],
      ['customer', '#117a65', 'Made by a ferry company'],
      ['accessibility', '#7d3c98', 'Somebody cannot use it'],
      ['good first issue', '#1e8449', 'Small, with a clear end'],
    ],
    milestones: [
      {
        title: 'Winter timetable',
        text: 'All customers have their winter sailings.',
        start: '{day-120}',
        due: '{day-70}',
        closed: '69d 15:00',
      },
      {
        title: 'Spring timetable',
        text: 'Boats go more often, and three new stops are served.',
        start: '{day-69}',
        due: '{day+24}',
      },
      { title: 'Summer season', text: 'Ready for ten times the readers.', start: '{day+25}', due: '{day+110}' },
    ],
    iterations: [
      { title: 'Gull', start: '{day-47}', due: '{day-34}' },
      { title: 'Heron', start: '{day-33}', due: '{day-20}' },
      { title: 'Kittiwake', start: '{day-19}', due: '{day-6}' },
      { title: 'Plover', start: '{day-5}', due: '{day+8}' },
      { title: 'Tern', start: '{day+9}', due: '{day+22}' },
    ],
    epics: [
      {
        title: 'Timetables on paper',
        text: 'Every stop has a printed page. It comes from the same data as the screen, so that both always agree.',
        by: 'mara',
        at: '118d 09:10',
        start: '{day-118}',
        end: '{day-60}',
        closed: '58d 14:00',
      },
      {
        title: 'Screens at the quay',
        text: 'A page for a screen that nobody touches: large, calm, and right after a power cut.\n\n- [x] Layout for one stop\n- [x] Goes on without a network\n- [ ] Announces delays by itself',
        by: 'mara',
        at: '94d 8:00',
        start: '{day-90}',
        end: '{day+20}',
      },
      {
        title: 'Delays while they happen',
        text: 'Dispatchers say that a boat is late, and everybody knows within a minute.',
        by: 'tomas',
        at: '44d 11:30',
        start: '{day-44}',
        end: '{day+60}',
      },
    ],
    acts: [
      {
        by: 'mara',
        at: '117d 09:00',
        to: 'wikis',
        body: {
          title: 'home',
          content:
            '# Slipway\n\nWe make timetables. What we have agreed on is in the [handbook](/slipway/handbook); this wiki has what changes every week.\n\n- [Who is on call](on-call)\n- [Customers](customers)\n',
        },
      },
      {
        by: 'pavel',
        at: '96d 13:30',
        to: 'wikis',
        body: {
          title: 'on-call',
          content:
            '# On call\n\n| week | who |\n|---|---|\n| odd | Pavel |\n| even | Noor |\n\nCall first, write afterwards.\n',
        },
      },
      {
        by: 'mara',
        at: '88d 11:00',
        to: 'wikis',
        body: {
          title: 'customers',
          content:
            '# Customers\n\n| company | boats | stops | since |\n|---|--:|--:|---|\n| Nordsund Ferries | 11 | 23 | the beginning |\n| Skerry Line | 3 | 9 | last autumn |\n| Isle of Hale Steam Packet | 2 | 4 | last autumn |\n',
        },
      },
      {
        by: 'mara',
        at: '110d 10:00',
        to: 'variables',
        body: {
          key: 'REGISTRY_MIRROR',
          value: 'https://mirror.example.com',
          description: 'Where base images come from',
        },
      },
    ],
  },
  {
    name: 'Apps',
    path: 'apps',
    parent: 'slipway',
    text: 'What passengers and dispatchers see.',
    visibility: 'public',
    by: 'mara',
    at: '120d 08:20',
    members: { tomas: 'owner' },
  },
  {
    name: 'Services',
    path: 'services',
    parent: 'slipway',
    text: 'What the apps ask.',
    visibility: 'public',
    by: 'mara',
    at: '120d 08:25',
    members: { noor: 'owner' },
  },
  {
    name: 'Operations',
    path: 'operations',
    parent: 'slipway',
    text: 'Machines, networks and who may touch them.',
    visibility: 'private',
    by: 'mara',
    at: '120d 08:30',
    members: { pavel: 'owner' },
  },
]
