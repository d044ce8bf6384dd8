import { setImmediate } from 'node:timers/promises'
import type { Actor } from '../../api/index.ts'
import type { Database } from '../../infra/database/index.ts'
import { type Commit, parseOid } from '../../infra/git/index.ts'
import { renderMarkdown } from '../../infra/markdown/index.ts'
import { may, type Project } from '../projects/index.ts'
import { type Repositories, repositoriesOfProjects } from '../repositories/index.ts'
import { type PresentingUsers, usersByIds } from '../users/index.ts'
import { type PresentedRelease, presentBasicRelease, presentRelease, type ReleaseFacts } from './present.ts'
import { evidencesOf, linksOf } from './store.ts'
import type { ReleaseRow } from './tables.ts'

export type PresentingNeeds = {
  database: Database
  repositories: Repositories
  presentingUsers(): Promise<PresentingUsers>
}

/** What a caller asked to see. */
export type Shown = { include_html_description?: boolean; simple?: boolean }

/** Loads what is shown of releases, for a whole page at once, and makes it. */
export type ReleasePresenting = ReturnType<typeof createReleasePresenting>

/** Repositories that are read at the same time, so that one page does not take all processes. */
const repositoriesAtOnce = 4

export function createReleasePresenting({ database, repositories, presentingUsers }: PresentingNeeds) {
  const db = database.read

  /** The commits that these releases are of, by the id of the release. */
  async function commitsOf(releases: readonly ReleaseRow[]): Promise<Map<number, Commit>> {
    const found = new Map<number, Commit>()
    const byProject = Map.groupBy(releases, ({ project_id }) => project_id)
    const rows = byProject.size === 0 ? [] : await repositoriesOfProjects(db, [...byProject.keys()])
    for (let from = 0; from < rows.length; from += repositoriesAtOnce) {
      const readings = rows.slice(from, from + repositoriesAtOnce).map(async (row) => {
        const own = byProject.get(row.project_id ?? 0) ?? []
        const oidOf = ({ sha }: ReleaseRow) => parseOid(sha ?? '')
        const oids = own.map(oidOf).filter((oid) => oid !== null)
        const commits = oids.length === 0 ? new Map() : await (await repositories.open(row)).commits(oids)
        for (const release of own) {
          const commit = commits.get(oidOf(release))
          if (commit) found.set(release.id, commit)
        }
      })
      await Promise.all(readings)
    }
    return found
  }

  /** The descriptions in HTML, with a turn for everybody else behind each. */
  async function htmlOf(releases: readonly ReleaseRow[]): Promise<Map<number, string>> {
    const html = new Map<number, string>()
    for (const { id, description } of releases) {
      html.set(id, renderMarkdown(description ?? ''))
      await setImmediate()
    }
    return html
  }

  /** @param projects those of the releases, each with the role of the actor in it */
  async function list(
    actor: Actor,
    releases: readonly ReleaseRow[],
    projects: readonly Project[],
    shown: Shown = {},
  ): Promise<PresentedRelease[]> {
    const { simple = false, include_html_description: withHtml = false } = shown
    const known = new Map(projects.map((project) => [project.id, project]))
    const readable = new Set(projects.filter((one) => may(actor, one, 'read_code')).map(({ id }) => id))
    const full = simple ? [] : releases
    const ids = full.map(({ id }) => id)
    const [presenting, links, evidences, authors, commits] = await Promise.all([
      presentingUsers(),
      linksOf(db, ids),
      evidencesOf(db, ids),
      usersByIds(
        db,
        full.flatMap(({ author_id }) => author_id ?? []),
      ),
      commitsOf(full.filter(({ project_id }) => readable.has(project_id))),
    ])
    const html = withHtml ? await htmlOf(releases) : new Map<number, string>()
    const linksById = Map.groupBy(links, ({ release_id }) => release_id)
    const evidencesById = Map.groupBy(evidences, ({ release_id }) => release_id)
    return releases.flatMap((release) => {
      const project = known.get(release.project_id)
      if (!project) return []
      const facts: ReleaseFacts = {
        ...{ release, project },
        author: authors.get(release.author_id ?? 0),
        commit: commits.get(release.id),
        links: linksById.get(release.id) ?? [],
        evidences: evidencesById.get(release.id) ?? [],
        descriptionHtml: html.get(release.id),
        readsCode: readable.has(project.id),
        mayEdit: may(actor, project, 'push_code'),
      }
      return [simple ? presentBasicRelease(facts, presenting.now) : presentRelease(facts, presenting)]
    })
  }

  return {
    list,
    async one(actor: Actor, release: ReleaseRow, project: Project, shown: Shown = {}): Promise<PresentedRelease> {
      const [presented] = await list(actor, [release], [project], shown)
      if (!presented) throw new Error(`release ${release.id} is of another project`)
      return presented
    },
  }
}
