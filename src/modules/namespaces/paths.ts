/** Paths that the server uses at the top level (contract 21 R4). */
const reservedTopLevel = new Set(
  (
    '- .well-known 404.html 422.html 500.html 502.html 503.html admin api apple-touch-icon.png assets dashboard ' +
    'deploy.html explore favicon.ico favicon.png files groups health_check help import jwt login oauth profile projects ' +
    'public robots.txt s search sitemap sitemap.xml sitemap.xml.gz slash-command-logo.png snippets unsubscribes uploads ' +
    'users v2'
  ).split(' '),
)

/** Paths that may not be used below a namespace, by projects and subgroups alike (contract 21 R4). */
const reservedBelow = new Set(
  (
    '- badges blame blob builds commits create create_dir edit environments/folders files find_file gitlab-lfs/objects ' +
    'info/lfs/objects new preview raw refs tree update wikis'
  ).split(' '),
)

const pathShape = /^[a-zA-Z0-9_.][a-zA-Z0-9_.-]*$/
const strictShape = /^[a-zA-Z0-9](?:[a-zA-Z0-9_.-]*[a-zA-Z0-9])?$/

/** Whether a path is reserved, case-insensitively. */
export function isReservedPath(path: string, options: { topLevel: boolean }): boolean {
  return (options.topLevel ? reservedTopLevel : reservedBelow).has(path.toLowerCase())
}

function endsLikeFile(path: string, endings: readonly string[]): boolean {
  const lower = path.toLowerCase()
  return endings.some((ending) => lower.endsWith(ending))
}

/** Problems by the older of the two rules for group paths and user names (contract 20 R5). */
export function namespacePathProblems(path: string): string[] {
  if (pathShape.test(path) && !endsLikeFile(path, ['.', '.git', '.atom'])) return []
  return ["can contain only letters, digits, '_', '-' and '.'. Cannot start with '-' or end in '.', '.git' or '.atom'."]
}

/** Problems by the older of the two rules for project paths: they may end in a dot. */
export function projectPathProblems(path: string): string[] {
  if (pathShape.test(path) && !endsLikeFile(path, ['.git', '.atom'])) return []
  return ["can contain only letters, digits, '_', '-' and '.'. Cannot start with '-', end in '.git' or end in '.atom'"]
}

/** Problems by the stricter rule, which new paths of groups and projects must also meet. */
export function strictPathProblems(path: string): string[] {
  if (strictShape.test(path) && !endsLikeFile(path, ['.git', '.atom'])) return []
  return [
    "can only include non-accented letters, digits, '_', '-' and '.'. It must not start with '-', '_', or '.', nor end " +
      "with '-', '_', '.', '.git', or '.atom'.",
  ]
}

const letters = String.raw`\p{L}\p{N}\p{Extended_Pictographic}_`
// Emoji are composed with joiners and variation selectors, which are not letters.
const inEmoji = String.raw`\u200d\ufe0f`
// One class each: a repeated group would exhaust the stack on names of several megabytes.
const groupName = new RegExp(`^[${letters}][${letters}${inEmoji}.() -]*$`, 'u')
const projectName = new RegExp(`^[${letters}][${letters}${inEmoji}.+ -]*$`, 'u')

/** Whether a text may name a group: letters, digits, emoji, `_`, `.`, dash, space, parentheses. */
export function isGroupName(name: string): boolean {
  return groupName.test(name)
}

/** Whether a text may name a project: letters, digits, emoji, `_`, `.`, `+`, dashes, spaces. */
export function isProjectName(name: string): boolean {
  return projectName.test(name)
}

/** The path of a project that is created with a name only: lower case, no accents, dashes for blanks. */
export function pathFromName(name: string): string {
  const slug = name
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9_.-]+/g, '-')
  // A loop, because a regular expression takes quadratic time on long runs of dashes.
  let end = slug.length
  while (end > 0 && '-_.'.includes(slug.charAt(end - 1))) end -= 1
  return slug.slice(0, end).replace(/^[-_.]+/, '')
}

/**
 * What a scheduled deletion appends to path and name, so that both can be used again.
 * @param isFree whether the resulting path and name are; while they are not, the suffix gets a number
 */
export async function freeDeletionSuffix(id: number, isFree: (suffix: string) => Promise<boolean>): Promise<string> {
  for (let number = 0; ; number += 1) {
    const suffix = `-deletion_scheduled-${id}${number === 0 ? '' : `-${number}`}`
    if (await isFree(suffix)) return suffix
  }
}

/** A name without that suffix. */
export function withoutDeletionSuffix(name: string, id: number): string {
  return name.replace(new RegExp(`-deletion_scheduled-${id}(?:-\\d+)?$`), '')
}
