import { compileBounded, PatternError, type Regex } from '../../../infra/regex/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { fromProject, type Project, settingOf } from '../../projects/index.ts'
import { catalogue } from '../catalogue/catalogue.ts'
import type { AppliedIntegration } from '../core/inheritance.ts'
import { appliedTo } from '../core/integrations.ts'

/** A reference that was found in a text, and the address of what it is to. */
export type TrackerReference = { index: number; found: string; href: string }

/** Finds the references of a text to one tracker elsewhere. */
export type Tracker = (text: string) => TrackerReference[]

/** Nothing of a word or of another reference stands before a reference. */
const beginning = String.raw`(?<![\w/&#@!$%~.-])`
const ending = String.raw`(?![\w-])`
const key = String.raw`[A-Z][A-Z0-9_]+-\d{1,9}`

const longestPattern = 255
/** Instructions times characters: an expression of a user takes no longer than some milliseconds. */
const mostSteps = 5_000_000

const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')

/** References of a form whose first group is what the address contains. */
function byForm(form: string, hrefOf: (id: string) => string): Tracker {
  const expression = new RegExp(`${beginning}${form}${ending}`, 'g')
  return (text) =>
    [...text.matchAll(expression)].map(({ 0: found, 1: id = '', index }) => ({ index, found, href: hrefOf(id) }))
}

/** The expression of a setting; null for one that is not valid RE2. */
function compiled(pattern: string): Regex | null {
  try {
    return compileBounded(pattern, longestPattern)
  } catch (error) {
    if (error instanceof PatternError) return null
    throw error
  }
}

/** References by an expression of a user, behind a prefix; in texts that are too long for it there are none. */
function byExpression(prefix: string, pattern: string, hrefOf: (id: string) => string): Tracker {
  const expression = compiled(pattern)
  return (text) => {
    if (!expression || text.length * expression.programSize() > mostSteps) return []
    const matcher = expression.matcher(text)
    const references: TrackerReference[] = []
    while (matcher.find()) {
      const [index, id] = [matcher.start() - prefix.length, matcher.group() ?? '']
      const isWhole = id !== '' && index >= 0 && text.startsWith(prefix, index)
      if (isWhole && !/\w/.test(text[index - 1] ?? ''))
        references.push({ index, found: `${prefix}${id}`, href: hrefOf(id) })
    }
    return references
  }
}

const textOf = (value: unknown) => (typeof value === 'string' ? value.trim() : '')

function ofJira({ fields }: AppliedIntegration): Tracker[] {
  const place = textOf(fields.url).replace(/\/+$/, '')
  const hrefOf = (id: string) => `${place}/browse/${encodeURIComponent(id)}`
  const [prefix, pattern] = [textOf(fields.jira_issue_prefix), textOf(fields.jira_issue_regex)]
  return [pattern === '' ? byForm(`${escaped(prefix)}(${key})`, hrefOf) : byExpression(prefix, pattern, hrefOf)]
}

function ofOthers({ fields }: AppliedIntegration, project: Project): Tracker[] {
  const address = textOf(fields.issues_url)
  const hrefOf = (id: string) => address.replaceAll(':id', encodeURIComponent(id))
  const hasOwn = settingOf(project, 'issues_access_level') !== 'disabled'
  return [byForm(`(${key})`, hrefOf), ...(hasOwn ? [] : [byForm(String.raw`#(\d{1,9})`, hrefOf)])]
}

/** The trackers elsewhere of a project, which turn references in its texts into links (contract 25, What a D row sends: R rows). */
export async function trackersOf({ database }: Platform, project: Project): Promise<Tracker[]> {
  const settings = await appliedTo(database.read, fromProject(project))
  return settings
    .filter(({ active, slug }) => active && catalogue.get(slug)?.does === 'references')
    .flatMap((setting) => (setting.slug === 'jira' ? ofJira(setting) : ofOthers(setting, project)))
}
