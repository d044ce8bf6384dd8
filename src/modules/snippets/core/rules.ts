import { type Actor, humanSize, isAdministrator, lengthProblems } from '../../../api/index.ts'
import type { Edition } from '../../../config.ts'
import type { Platform } from '../../../platform/index.ts'
import type { InstanceSettings } from '../../../platform/settings/index.ts'
import type { Visibility } from '../../namespaces/index.ts'
import { refused } from '../repository/write.ts'

const longestName = 255
const largestDescription = 1024 * 1024

/** The texts of a request, as far as they are given. */
type Texts = {
  title?: string
  description?: string | null
  paths: readonly string[]
  contents: readonly string[]
}

function sizeProblem(name: string, text: string, maximumBytes: number): string[] {
  // A character has at most three bytes in UTF-8.
  const sizeBytes = text.length * 3 <= maximumBytes ? 0 : Buffer.byteLength(text)
  if (sizeBytes <= maximumBytes) return []
  return [`${name} is too long (${humanSize(sizeBytes)}). The maximum size is ${humanSize(maximumBytes)}.`]
}

/** @throws ApiError 400 for texts that are too long (contract 3.12) */
export function requireLengths({ title = '', description, paths, contents }: Texts, settings: InstanceSettings): void {
  const tooLong = (name: string, text: string) =>
    lengthProblems(text, longestName).map((problem) => `${name} ${problem}`)
  const problems = [
    ...tooLong('Title', title),
    ...paths.flatMap((path) => tooLong('File name', path)),
    ...contents.flatMap((content) => sizeProblem('Content', content, settings.snippet_size_limit)),
    ...sizeProblem('Description', description ?? '', largestDescription),
  ]
  if (problems.length > 0) throw refused(400, [...new Set(problems)].join(', '))
}

/** Whether the offering has snippets for all signed-in users: the hosted one has not (contract 3.12). */
const hasInternal = ({ offerings }: Edition) => offerings.some((offering) => offering !== 'hosted')

type Configured = Pick<Platform, 'config'>

function isRestricted({ config }: Configured, visibility: Visibility, actor: Actor, settings: InstanceSettings) {
  if (visibility === 'internal' && !hasInternal(config.edition)) return true
  return !isAdministrator(actor) && settings.restricted_visibility_levels.includes(visibility)
}

/** The visibility of a snippet that names none: that of the setting, `private` where the caller may not use it (contract 3.12). */
export function defaultVisibility(platform: Configured, actor: Actor, settings: InstanceSettings): Visibility {
  const { default_snippet_visibility: visibility } = settings
  return isRestricted(platform, visibility, actor, settings) ? 'private' : visibility
}

/** @throws ApiError 403 for a level that the instance reserves for administrators, or does not have (contract 3.12) */
export function requireAllowed(
  platform: Configured,
  visibility: Visibility,
  actor: Actor,
  settings: InstanceSettings,
): void {
  if (!isRestricted(platform, visibility, actor, settings)) return
  throw refused(403, `Visibility level ${visibility} has been restricted by your GitLab administrator`)
}

/** @throws ApiError 422 when the actions on files do not fit together (contract 3.12, 3.13) */
export const invalidActions = () => refused(422, 'Snippet actions have invalid data')
