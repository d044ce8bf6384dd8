import { type Actor, ApiError, forbidden, parameterError } from '../../../api/index.ts'
import type { Oid } from '../../../infra/git/index.ts'
import type { Platform } from '../../../platform/index.ts'
import {
  type OpenedRepository,
  openRepository,
  openRepositoryForWriting,
} from '../../../platform/repositories/index.ts'
import { defaultBranchName, type Project } from '../../projects/index.ts'
import { mayPush } from '../../protected-branches/index.ts'
import { resolveRevision } from '../revision.ts'
import { changesOf, writablePath } from '../writing/actions.ts'
import { type CommitBase, untilNotOvertaken, writeCommit } from '../writing/write-commit.ts'
import { type ChangelogConfig, maximumConfigBytes, parseConfig } from './config.ts'
import { authorsOf } from './credits.ts'
import { formatDate } from './date.ts'
import { byCategory, type Entry, entriesOf } from './entries.ts'
import type { ChangelogParams, NewChangelog } from './params.ts'
import { changelogProblem } from './problem.ts'
import { withSection } from './section.ts'
import { renderTemplate, type TemplateValue } from './template.ts'
import { parseVersion, tagBefore, type Version } from './version.ts'

/** The merge request that introduced a commit, as a template sees it. */
type IntroducedBy = { reference: string; web_url: string }

declare module '../../../platform/platform.ts' {
  interface Questions {
    /** The merge requests that introduced these commits, as far as the caller may see them. */
    'commits.introduced_by'(
      project: Project,
      actor: Actor,
      oids: readonly Oid[],
    ): Promise<ReadonlyMap<Oid, IntroducedBy>>
  }
}

/** The parameters with the version parsed. */
type Release = Omit<ChangelogParams, 'version'> & { version: string; parsed: Version }

const standardFile = '.gitlab/changelog_config.yml'
const maximumFileBytes = 10 * 1024 * 1024

/** @throws ApiError 400, form B */
function releaseOf<P extends ChangelogParams>(params: P): P & Release {
  const parsed = parseVersion(params.version)
  if (!parsed) throw parameterError('version', 'is invalid')
  return { ...params, parsed }
}

/** The content of a file of a commit; null when it is missing. @throws ApiError 422 when it is not a file, or too large */
async function contentOf({ repository, base }: CommitBase, path: string, maxBytes: number): Promise<Buffer | null> {
  const entry = base && (await repository.entryAt(base, writablePath(path)))
  if (!entry) return null
  if (entry.type !== 'blob' || entry.mode === '120000') throw changelogProblem(`${path} is no file`)
  const size = (await repository.object(entry.oid))?.sizeBytes ?? 0
  if (size > maxBytes) throw changelogProblem(`${path} is larger than ${maxBytes} bytes`)
  return (await repository.readObject(entry.oid, { maxBytes }))?.content ?? null
}

/** Adds a section to the changelog, which is created when missing. */
async function changelogChanges(source: CommitBase, path: string, version: Version, section: string) {
  const before = await contentOf(source, path, maximumFileBytes)
  const bytes = Buffer.from(section).toString('latin1')
  const after = Buffer.from(withSection(before?.toString('latin1') ?? '', version, bytes), 'latin1')
  const action = before ? 'update' : 'create'
  return changesOf(source, [{ action, file_path: path, content: after.toString('base64'), encoding: 'base64' }])
}

async function requireRevision(opened: OpenedRepository, revision: string): Promise<Oid> {
  const oid = await resolveRevision(opened, revision)
  if (!oid) throw changelogProblem(`there is no revision '${revision.slice(0, 255)}'`)
  return oid
}

/** Errors about files and branches are answered as errors of the changelog. */
function asProblem(error: unknown): unknown {
  if (!(error instanceof ApiError) || error.status !== 400) return error
  return changelogProblem(String(error.body.message))
}

/** The head of a branch. A missing one is answered with its name, so that the error names it. */
const headOf = ({ snapshot }: OpenedRepository, branch: string): string => snapshot.branch(branch)?.oid ?? branch

async function configOf(platform: Platform, project: Project, opened: OpenedRepository, params: ChangelogParams) {
  const { config_file_ref: ref } = params
  const standardRef = headOf(opened, await defaultBranchName(platform, project))
  const base = ref ? await requireRevision(opened, ref) : await resolveRevision(opened, standardRef)
  const source = await contentOf({ ...opened, base }, params.config_file || standardFile, maximumConfigBytes)
  return parseConfig(source?.toString() ?? '')
}

async function rangeOf(opened: OpenedRepository, { from, to, parsed }: Release, config: ChangelogConfig, head: string) {
  const end = await requireRevision(opened, to || head)
  if (from) return { from: await requireRevision(opened, from), to: end }
  const tag = await tagBefore(opened.snapshot.tags, parsed, config.versionOfTag)
  if (tag) return { from: tag.peeled, to: end }
  throw changelogProblem('The commit start range is unspecified, and no previous tag could be found to use instead')
}

/** The data of the template: entries by category. */
async function dataOf(
  platform: Platform,
  project: Project,
  actor: Actor,
  entries: readonly Entry[],
  config: ChangelogConfig,
) {
  const emails = entries.map(({ authorEmail }) => authorEmail)
  const oids = entries.map(({ oid }) => oid)
  const [authors, introducedBy] = await Promise.all([
    authorsOf(platform, project, actor, emails, config.includeGroups),
    platform.ports['commits.introduced_by'](platform, project, actor, oids),
  ])
  const { full_path: path } = project
  const present = ({ oid, title, trailers, authorEmail }: Entry) => {
    const web_url = `${platform.externalUrl}/${path}/-/commit/${oid}`
    const [author, merge_request] = [authors.get(authorEmail.toLowerCase()), introducedBy.get(oid)]
    return { title, commit: { reference: `${path}@${oid}`, web_url, trailers }, author, merge_request }
  }
  const categories: TemplateValue = [...byCategory(entries, config.categories)].map(([title, group]) => ({
    title,
    count: group.length,
    single_change: group.length === 1,
    entries: group.map(present),
  }))
  return { categories }
}

/** The section of a release as Markdown. @param head default end of the range */
async function sectionOf(
  platform: Platform,
  project: Project,
  actor: Actor,
  opened: OpenedRepository,
  release: Release,
  head: string,
): Promise<string> {
  const config = await configOf(platform, project, opened, release)
  const range = await rangeOf(opened, release, config, head)
  const entries = await entriesOf(opened.repository, range, release.trailer || 'Changelog')
  const body = renderTemplate(config.template, await dataOf(platform, project, actor, entries, config)).trim()
  const date = release.date ? new Date(release.date) : platform.clock.now()
  return `## ${release.version} (${formatDate(date, config.dateFormat)})\n\n${body}\n`
}

async function commitOnce(platform: Platform, project: Project, actor: Actor, release: NewChangelog & Release) {
  const opened = await openRepositoryForWriting(platform, project)
  const branch = release.branch || (await defaultBranchName(platform, project))
  if (!(await mayPush(platform, project, actor, branch))) {
    throw forbidden('You are not allowed to commit a changelog on this branch')
  }
  const section = await sectionOf(platform, project, actor, opened, release, headOf(opened, branch))
  await writeCommit(platform, {
    ...{ opened, actor, branch },
    message: release.message || `Add changelog for version ${release.version}`,
    build: (source) => changelogChanges(source, release.file || 'CHANGELOG.md', release.parsed, section),
  })
}

/** The section of a version as Markdown (contract 22, x.repo_changelog_get). @throws ApiError 422 */
export async function renderChangelog(platform: Platform, project: Project, actor: Actor, params: ChangelogParams) {
  const release = releaseOf(params)
  const opened = await openRepository(platform, project)
  const head = headOf(opened, await defaultBranchName(platform, project))
  return sectionOf(platform, project, actor, opened, release, head).catch((error) => {
    throw asProblem(error)
  })
}

/** Commits a section to the changelog of a branch (contract 22, x.repo_changelog_post). @throws ApiError 422, 403 */
export async function commitChangelog(platform: Platform, project: Project, actor: Actor, params: NewChangelog) {
  const release = releaseOf(params)
  return untilNotOvertaken(() => commitOnce(platform, project, actor, release)).catch((error) => {
    throw asProblem(error)
  })
}
