import { type Actor, ApiError, forbidden } from '../../../api/index.ts'
import type { Oid } from '../../../infra/git/index.ts'
import { defaultBranchOf, type Project } from '../../projects/index.ts'
import {
  type OpenedRepository,
  type OpeningNeeds,
  openRepository,
  openRepositoryForWriting,
} from '../../repositories/index.ts'
import { resolveRevision } from '../revision.ts'
import { changesOf, writablePath } from '../writing/actions.ts'
import { type CommitBase, type CommitWriter, isOvertaken } from '../writing/write-commit.ts'
import { type ChangelogConfig, maximumConfigBytes, parseConfig, standardConfig } from './config.ts'
import { type Author, authorsOf, type CreditNeeds } from './credits.ts'
import { formatDate } from './date.ts'
import { byCategory, type Entry, entriesOf, type ReleaseRange } from './entries.ts'
import { changelogProblem } from './problem.ts'
import { withSection } from './section.ts'
import { renderTemplate, type TemplateValue } from './template.ts'
import { tagBefore, type Version } from './version.ts'

/** The merge request that brought a commit, as a template sees it. */
export type IntroducedBy = { reference: string; web_url: string }

export type ChangelogNeeds = OpeningNeeds &
  CreditNeeds & {
    writer: CommitWriter
    externalUrl: string
    defaultBranchName(): Promise<string>
    /** The merge requests that brought these commits, as far as the actor sees them; without them there are none. */
    introducedBy?(project: Project, oids: readonly Oid[], actor: Actor): Promise<ReadonlyMap<Oid, IntroducedBy>>
  }

/** Which changelog is wanted (contract 22, x.repo_changelog_get). */
export type ChangelogParams = {
  version: { text: string; parsed: Version }
  from?: string
  to?: string
  /** ISO text; now unless given. */
  date?: string
  trailer?: string
  config_file?: string
  config_file_ref?: string
}

/** Where a changelog is to be committed. */
export type ChangelogCommit = { branch?: string; file?: string; message?: string }

/** Makes changelogs out of the trailers of commits. */
export type Changelog = ReturnType<typeof createChangelog>

const standardFile = '.gitlab/changelog_config.yml'
const maximumFileBytes = 10 * 1024 * 1024
const attempts = 5

/** The content of a file of a commit; null when there is none. @throws ApiError 422 when it is no file, or too large */
async function contentOf({ repository, base }: CommitBase, path: string, maxBytes: number): Promise<Buffer | null> {
  const entry = base && (await repository.entryAt(base, writablePath(path)))
  if (!entry) return null
  if (entry.type !== 'blob' || entry.mode === '120000') throw changelogProblem(`${path} is no file`)
  const size = (await repository.object(entry.oid))?.sizeBytes ?? 0
  if (size > maxBytes) throw changelogProblem(`${path} is larger than ${maxBytes} bytes`)
  return (await repository.readObject(entry.oid, { maxBytes }))?.content ?? null
}

/** The change that puts a section into a changelog, which it makes if there is none. */
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

/** Whatever is said of the files and branches of a changelog is said of the changelog. */
function asProblem(error: unknown): unknown {
  if (!(error instanceof ApiError) || error.status !== 400) return error
  return changelogProblem(String(error.body.message))
}

export function createChangelog(needs: ChangelogNeeds) {
  const { clock, writer, externalUrl, defaultBranchName, introducedBy = async () => new Map() } = needs

  /** What a branch points at; its name, where it points at nothing, leads to the sentence that says so. */
  const headOf = ({ snapshot }: OpenedRepository, branch: string): string => snapshot.branch(branch)?.oid ?? branch

  async function configOf(
    project: Project,
    opened: OpenedRepository,
    params: ChangelogParams,
  ): Promise<ChangelogConfig> {
    const { config_file_ref: ref } = params
    const standardRef = headOf(opened, await defaultBranchOf(project, defaultBranchName))
    const base = ref ? await requireRevision(opened, ref) : await resolveRevision(opened, standardRef)
    const source = await contentOf({ ...opened, base }, params.config_file || standardFile, maximumConfigBytes)
    return source ? parseConfig(source.toString()) : standardConfig()
  }

  async function rangeOf(
    opened: OpenedRepository,
    { from, to, version }: ChangelogParams,
    config: ChangelogConfig,
    head: string,
  ): Promise<ReleaseRange> {
    const end = await requireRevision(opened, to || head)
    if (from) return { from: await requireRevision(opened, from), to: end }
    const tag = await tagBefore(opened.snapshot.tags, version.parsed, config.versionOfTag)
    if (tag) return { from: tag.peeled, to: end }
    throw changelogProblem('The commit start range is unspecified, and no previous tag could be found to use instead')
  }

  /** What a template sees of an entry. */
  function shown(project: Project, entry: Entry, author: Author | undefined, from: IntroducedBy | undefined) {
    const { oid, title, trailers } = entry
    const web_url = `${externalUrl}/${project.full_path}/-/commit/${oid}`
    return {
      title,
      commit: { reference: `${project.full_path}@${oid}`, web_url, trailers },
      ...(author && { author: { ...author } }),
      ...(from && { merge_request: { reference: from.reference, web_url: from.web_url } }),
    }
  }

  async function dataOf(project: Project, actor: Actor, entries: readonly Entry[], config: ChangelogConfig) {
    const emails = entries.map(({ authorEmail }) => authorEmail)
    const [authors, requests] = await Promise.all([
      authorsOf(needs, project, actor, emails, config.includeGroups),
      introducedBy(
        project,
        entries.map(({ oid }) => oid),
        actor,
      ),
    ])
    const categories: TemplateValue = [...byCategory(entries, config.categories)].map(([title, group]) => ({
      title,
      count: group.length,
      single_change: group.length === 1,
      entries: group.map((entry) => {
        return shown(project, entry, authors.get(entry.authorEmail.toLowerCase()), requests.get(entry.oid))
      }),
    }))
    return { categories }
  }

  /** @param head where the range ends unless told */
  async function sectionOf(
    project: Project,
    actor: Actor,
    opened: OpenedRepository,
    params: ChangelogParams,
    head: string,
  ) {
    const config = await configOf(project, opened, params)
    const range = await rangeOf(opened, params, config, head)
    const entries = await entriesOf(opened.repository, range, params.trailer || 'Changelog')
    const body = renderTemplate(config.template, await dataOf(project, actor, entries, config)).trim()
    const date = params.date ? new Date(params.date) : clock.now()
    return `## ${params.version.text} (${formatDate(date, config.dateFormat)})\n\n${body}\n`
  }

  async function commitOnce(project: Project, actor: Actor, params: ChangelogParams, wanted: ChangelogCommit) {
    const opened = await openRepositoryForWriting(needs, project)
    const branch = wanted.branch || (await defaultBranchOf(project, defaultBranchName))
    if (!(await writer.mayPush(project, actor, branch))) {
      throw forbidden('You are not allowed to commit a changelog on this branch')
    }
    const section = await sectionOf(project, actor, opened, params, headOf(opened, branch))
    await writer.write({
      opened,
      actor,
      branch,
      message: wanted.message || `Add changelog for version ${params.version.text}`,
      build: (source) => changelogChanges(source, wanted.file || 'CHANGELOG.md', params.version.parsed, section),
    })
  }

  return {
    /**
     * The section of a version, as Markdown.
     * @throws ApiError 422
     */
    async render(project: Project, actor: Actor, params: ChangelogParams): Promise<string> {
      const opened = await openRepository(needs, project)
      const head = headOf(opened, await defaultBranchOf(project, defaultBranchName))
      return sectionOf(project, actor, opened, params, head).catch((error) => {
        throw asProblem(error)
      })
    },

    /**
     * Writes the section of a version into the changelog of a branch; when somebody else writes to the branch meanwhile, anew.
     * @throws ApiError 422; 403 when the actor may not push to the branch
     */
    async commit(project: Project, actor: Actor, params: ChangelogParams, wanted: ChangelogCommit): Promise<void> {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await commitOnce(project, actor, params, wanted)
        } catch (error) {
          if (!isOvertaken(error) || attempt >= attempts) throw asProblem(error)
        }
      }
    },
  }
}
