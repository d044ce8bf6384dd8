const prefix = 'merge_request.'
const names = [
  'create',
  'target',
  'target_project',
  'auto_merge',
  'merge_when_pipeline_succeeds',
  'remove_source_branch',
  'squash',
  'title',
  'description',
  'draft',
  'milestone',
  'label',
  'unlabel',
  'assign',
  'unassign',
] as const
type Name = (typeof names)[number]

/** Values of an option that can be given several times; more are ignored. */
const mostValues = 100
/** Options that a warning names, and how much of each. */
const mostNamed = 10
const longestNamed = 100

/** What the push options ask of the merge requests of the pushed branches (contract 22 R6). */
export type RequestOptions = {
  create: boolean
  target?: string
  targetProject?: string
  title?: string
  description?: string
  milestone?: string
  draft: boolean
  squash: boolean
  removeSourceBranch: boolean
  autoMerge: boolean
  labels: string[]
  removedLabels: string[]
  /** Usernames or ids. */
  assigned: string[]
  unassigned: string[]
  /** The options as they were given, for warnings. */
  given: string
}

type Given = { name: Name; value: string; text: string }

function read(option: string): Given[] {
  if (!option.startsWith(prefix)) return []
  const [word = ''] = option.slice(prefix.length).split('=', 1)
  const name = names.find((one) => one === word)
  return name ? [{ name, value: option.slice(prefix.length + name.length + 1), text: option }] : []
}

/** Reads the options about merge requests; of an option that has one value the last counts. @returns null without any */
export function requestOptionsOf(pushOptions: readonly string[]): RequestOptions | null {
  const given = pushOptions.flatMap(read)
  if (given.length === 0) return null
  const has = (...wanted: Name[]) => given.some(({ name }) => wanted.includes(name))
  const all = (wanted: Name) => given.flatMap(({ name, value }) => (name === wanted && value !== '' ? [value] : []))
  const several = (wanted: Name) => all(wanted).slice(0, mostValues)
  const one = <Key extends string>(key: Key, wanted: Name) => {
    const value = all(wanted).at(-1)
    return (value === undefined ? {} : { [key]: value }) as { [K in Key]?: string }
  }
  const { description } = one('description', 'description')
  return {
    ...{ create: has('create'), draft: has('draft'), squash: has('squash') },
    ...{ removeSourceBranch: has('remove_source_branch') },
    autoMerge: has('auto_merge', 'merge_when_pipeline_succeeds'),
    ...one('target', 'target'),
    ...one('targetProject', 'target_project'),
    ...one('title', 'title'),
    ...one('milestone', 'milestone'),
    // Git allows no line ends in options.
    ...(description === undefined ? {} : { description: description.replaceAll('\\n', '\n') }),
    ...{ labels: several('label'), removedLabels: several('unlabel') },
    ...{ assigned: several('assign'), unassigned: several('unassign') },
    given: given
      .slice(0, mostNamed)
      .map(({ text }) => `'${text.slice(0, longestNamed)}'`)
      .join(' '),
  }
}
