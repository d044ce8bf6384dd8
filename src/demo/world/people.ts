import type { Person } from '../world-types.ts'

/** Who works at Slipway, and one who works with it. Nobody of them is real. */
export const people: readonly Person[] = [
  {
    username: 'mara',
    name: 'Mara Lindqvist',
    job: 'Founder',
    bio: 'Worked on a car ferry for six summers, and still reads timetables for fun.',
    location: 'Halmhavn',
    status: { emoji: 'ship', message: 'On the boat to a customer' },
  },
  {
    username: 'tomas',
    name: 'Tomas Brandt',
    job: 'Lead web developer',
    bio: 'Makes pages that work on a quay with one bar of signal.',
    location: 'Oster',
  },
  {
    username: 'noor',
    name: 'Noor Haddad',
    job: 'Backend developer',
    bio: 'Go, time zones, and the calendar in between. Builds clocks at home.',
    location: 'Halmhavn',
    status: { emoji: 'hourglass', message: 'Reviewing until noon' },
  },
  {
    username: 'ines',
    name: 'Ines Carvalho',
    job: 'Web developer',
    bio: 'Accessibility first: a timetable is for everybody who has to catch a boat.',
    location: 'Portela',
  },
  {
    username: 'pavel',
    name: 'Pavel Novotny',
    job: 'Operations',
    bio: 'Keeps the servers afloat. If you see me online at night, look at the alerts.',
    location: 'Brod',
    status: { emoji: 'telephone', message: 'On call this week' },
  },
  {
    username: 'yuki',
    name: 'Yuki Arai',
    job: 'Designer',
    bio: 'Types, colours, and the space between two departures.',
    location: 'Halmhavn',
  },
  {
    username: 'owen',
    name: 'Owen Price',
    job: 'Customer support',
    bio: 'Talks to harbour masters, and translates what they say into issues.',
    location: 'Porth Gwyn',
  },
  {
    username: 'lena',
    name: 'Lena Fischer',
    job: 'Dispatcher at Nordsund Ferries',
    bio: 'Our first customer. Enters the sailings of eleven boats every spring.',
    location: 'Nordsund',
  },
]
