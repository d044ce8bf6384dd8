import type { SitePath } from './paths.ts'

/** A rule of `_redirects` that is valid (contract 24, Pages: serving and safety). */
type Rule = { from: readonly string[]; to: string; status: 301 | 302 | 200 }

/** A line of the file, with what is wrong with it. */
type ReadLine = { line: string; rule: Rule | null; problem: string | null }

const mostRules = 1_000
export const longestRules = 64 * 1024
const statuses = ['301', '302', '200']
const absolute = /^https?:\/\/[a-z0-9.-]+(?::\d{1,5})?(?:\/|$)/i
const placeholder = /:([A-Za-z][A-Za-z0-9_]*)/g

/** What is wrong with a rule; null: nothing. */
function problemOf([from = '', to = '', status = '301', ...more]: readonly string[]): string | null {
  if (to === '') return 'it has no target'
  if (more.length > 0) return 'it has more than a status behind its target'
  if (!statuses.includes(status)) return 'its status is none of 301, 302 and 200'
  if (!from.startsWith('/') || from.slice(0, -1).includes('*')) return 'it is from no path, or has * before its end'
  if (to.startsWith('/')) return to.startsWith('//') || to.includes('\\') ? 'its target is no path' : null
  if (!absolute.test(to) || !URL.canParse(to)) return 'its target is neither a path nor an address'
  return status === '200' ? 'its target is no path, which 200 needs' : null
}

function readLine(line: string): ReadLine {
  const [from = '', to = '', status = '301', ...more] = line.split(/\s+/)
  const problem = problemOf([from, to, status, ...more])
  if (problem !== null) return { line, rule: null, problem }
  const segments = from.split('/').filter((segment) => segment !== '')
  return { line, rule: { from: segments, to, status: Number(status) as Rule['status'] }, problem: null }
}

/** Reads the file of rules: the first thousand of them. */
export function readRules(content: string): ReadLine[] {
  const lines = content.split(/\r?\n/).map((line) => line.trim())
  return lines
    .filter((line) => line !== '' && !line.startsWith('#'))
    .slice(0, mostRules)
    .map(readLine)
}

/** What the placeholders of a rule stand for in a path, encoded; null when it does not match. Each segment is looked at once. */
function valuesOf({ from }: Rule, { segments }: SitePath): Map<string, string> | null {
  const values = new Map<string, string>()
  const isOpen = from.at(-1) === '*'
  const fixed = isOpen ? from.slice(0, -1) : from
  if (isOpen ? segments.length < fixed.length : segments.length !== fixed.length) return null
  for (const [index, wanted] of fixed.entries()) {
    const segment = segments[index] ?? ''
    if (wanted.startsWith(':')) values.set(wanted.slice(1), encodeURIComponent(segment))
    else if (wanted !== segment) return null
  }
  if (isOpen) values.set('splat', segments.slice(fixed.length).map(encodeURIComponent).join('/'))
  return values
}

/** Where the first rule that matches a path leads. @param prefix the path of the site at its host, before targets that are paths */
export function redirectOf(lines: readonly ReadLine[], path: SitePath, prefix: string) {
  for (const { rule } of lines) {
    const values = rule && valuesOf(rule, path)
    if (!rule || !values) continue
    const fill = (text: string) => text.replace(placeholder, (written, name) => values.get(name) ?? written)
    if (rule.to.startsWith('/')) {
      // A splat that is empty, or a placeholder, must not make another host of a path.
      const target = fill(rule.to).replace(/^\/+/, '/')
      return { status: rule.status, to: rule.status === 200 ? target : `${prefix}${target}` }
    }
    const host = absolute.exec(rule.to)?.[0].replace(/\/$/, '') ?? ''
    return { status: rule.status, to: `${host}${fill(rule.to.slice(host.length))}` }
  }
  return null
}

/** The rules of a site, each with whether it is valid, for its author. */
export function describeRules(lines: readonly ReadLine[]): string {
  const valid = lines.filter(({ rule }) => rule).length
  const each = lines.map(({ line, problem }, index) => `rule ${index + 1}: ${problem ?? 'valid'}: ${line}`)
  return [`${lines.length} rules, ${valid} of them valid`, ...each, ''].join('\n')
}
