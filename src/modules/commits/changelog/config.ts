import { compileRegex, type Regex } from '../../../infra/regex/index.ts'
import { parseYaml } from '../../../infra/yaml/index.ts'
import { changelogProblem } from './problem.ts'
import { parseTemplate, type Template } from './template.ts'
import { parseVersion, type Version, versionOf } from './version.ts'

/** The configuration of changelogs (the file `.gitlab/changelog_config.yml`). */
export type ChangelogConfig = {
  /** In the notation of `strftime`. */
  dateFormat: string
  template: Template
  /** Titles of categories; other categories have the value of the trailer as title. */
  categories: ReadonlyMap<string, string>
  /** Full paths of groups whose members are credited even as members of the project. */
  includeGroups: readonly string[]
  /** The version in a tag's name. */
  versionOfTag(name: string): Version | null
}

const standardTemplate = `{% if categories %}
{% each categories %}
### {{ title }} ({{ count }} {% if single_change %}change{% else %}changes{% end %})

{% each entries %}
- [{{ title }}]({{ commit.web_url }})\\
{% if author.credit %} by {{ author.reference }}{% end %}\\
{% if merge_request %} ([merge request]({{ merge_request.web_url }})){% end %}

{% end %}

{% end %}
{% else %}
No changes.
{% end %}
`

/** Maximal size of a configuration: parsing must not block other requests. */
export const maximumConfigBytes = 32 * 1024
/** Limits brackets in the YAML; templates contain many. */
const maximumBrackets = 1024
const maximumGroups = 100
const maximumPatternLength = 1_000
/** Maximal number of instructions of a pattern; a match takes at most that many steps per character. */
const largestProgram = 1_000
/** Maximal number of steps of a pattern over all tags. */
const mostSteps = 100_000_000

const invalid = (name: string) => changelogProblem(`${name} of the configuration is invalid`)

function textOf(settings: Map<unknown, unknown>, name: string): string | undefined {
  const value = settings.get(name)
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'string') throw invalid(name)
  return value
}

function categoriesOf(value: unknown): Map<string, string> {
  if (value === undefined || value === null) return new Map()
  if (!(value instanceof Map)) throw invalid('categories')
  const isWord = (word: unknown) => typeof word === 'string' || typeof word === 'number' || typeof word === 'boolean'
  const entries = [...value].map(([name, title]) => {
    if (!isWord(name) || !isWord(title)) throw invalid('categories')
    return [String(name), String(title)] as const
  })
  return new Map(entries)
}

function groupsOf(value: unknown): string[] {
  if (value === undefined || value === null) return []
  const isList = Array.isArray(value) && value.every((path) => typeof path === 'string')
  if (!isList || value.length > maximumGroups) throw invalid('include_groups')
  return value
}

/** Parses versions in tags by a pattern with named groups, in linear time. */
function tagReader(pattern: string): (name: string) => Version | null {
  let compiled: Regex
  try {
    if (pattern.length > maximumPatternLength) throw invalid('tag_regex')
    compiled = compileRegex(pattern)
  } catch {
    throw invalid('tag_regex')
  }
  if (compiled.programSize() > largestProgram) throw invalid('tag_regex')
  const names = compiled.namedGroups()
  if (!['major', 'minor', 'patch'].every((name) => Object.hasOwn(names, name))) return () => null
  let steps = 0
  return (tag) => {
    steps += compiled.programSize() * (tag.length + 1)
    if (steps > mostSteps) throw changelogProblem('there are too many tags for the tag_regex of the configuration')
    const matcher = compiled.matcher(tag)
    if (!matcher.find()) return null
    const pre = Object.hasOwn(names, 'pre') ? matcher.group('pre') : null
    return versionOf(matcher.group('major'), matcher.group('minor'), matcher.group('patch'), pre)
  }
}

function settingsOf(source: string): Map<unknown, unknown> {
  let value: unknown
  try {
    value = parseYaml(source, { maximumLength: maximumConfigBytes, maximumBrackets, mapAsMap: true })
  } catch (error) {
    throw changelogProblem(`the configuration is no YAML: ${(error as Error).message}`)
  }
  if (value === null) return new Map()
  if (!(value instanceof Map)) throw changelogProblem('the configuration is no list of settings')
  return value
}

/** Parses a configuration; an empty text is the configuration of projects without the file. @throws ApiError 422 */
export function parseConfig(source: string): ChangelogConfig {
  const settings = settingsOf(source)
  const pattern = textOf(settings, 'tag_regex')
  return {
    dateFormat: textOf(settings, 'date_format') ?? '%Y-%m-%d',
    template: parseTemplate(textOf(settings, 'template') ?? standardTemplate),
    categories: categoriesOf(settings.get('categories')),
    includeGroups: groupsOf(settings.get('include_groups')),
    versionOfTag: pattern === undefined ? parseVersion : tagReader(pattern),
  }
}
