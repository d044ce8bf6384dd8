import { words } from '../parts/words.ts'

/** Fields that stand together. */
export type FieldGroup = { title: string; names: readonly string[] }

/** Fields in the order of a form: those that are always shown, and the others. */
export type Grouped = { lead: readonly string[]; groups: readonly FieldGroup[] }

/** More fields than these are divided into groups. */
const mostTogether = 12
/** Fewer fields than these are no group. */
const leastOfGroup = 3
/** More fields than these without a group have one of their own. */
const mostOutside = 6

/** Groups by the last word of the names, such as the events of a hook. */
const lastWords: Readonly<Record<string, string>> = {
  events: 'Events',
  access_level: 'Who may use what',
  limit: 'Rates and limits',
}

/** Groups by the first word whose title is another one. */
const firstWords: Readonly<Record<string, string>> = {
  allow: 'Permissions',
  auto: 'Automation',
  ci: 'CI/CD',
  container: 'Container registry',
  default: 'Defaults',
  domain: 'Domains',
  max: 'Sizes',
  merge: 'Merging',
  mirror: 'Mirrors',
  only: 'Conditions for merging',
  project: 'Projects',
  throttle: 'Throttles',
  user: 'New users',
}

function titleOf(name: string): string {
  const last = Object.keys(lastWords).find((word) => name.endsWith(`_${word}`))
  const [first = ''] = name.split('_', 1)
  return (last && lastWords[last]) ?? firstWords[first] ?? words(first)
}

/**
 * Divides the fields of a form. A form with few of them shows all, or hides the optional ones behind one line; a form with many has
 * groups by the first word of the names.
 * @param isLead whether a field is always shown
 */
export function groupFields(names: readonly string[], isLead: (name: string) => boolean): Grouped {
  const lead = names.filter(isLead)
  const others = names.filter((name) => !isLead(name))
  if (others.length === 0 || (names.length <= mostTogether && (others.length <= 4 || lead.length === 0))) {
    return { lead: names, groups: [] }
  }
  if (names.length <= mostTogether) return { lead, groups: [{ title: 'More', names: others }] }
  const byTitle = Map.groupBy(others, titleOf)
  const groups = [...byTitle].map(([title, members]) => ({ title, names: members }))
  const large = groups.filter(({ names: members }) => members.length >= leastOfGroup)
  const rest = groups.filter((group) => !large.includes(group)).flatMap(({ names: members }) => members)
  if (rest.length <= mostOutside) return { lead: [...lead, ...rest], groups: large }
  return { lead, groups: [...large, { title: 'Other', names: rest }] }
}
