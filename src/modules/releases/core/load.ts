import { setImmediate } from 'node:timers/promises'
import type { Actor } from '../../../api/index.ts'
import { type Commit, parseOid } from '../../../infra/git/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { openRow, repositoriesOfProjects } from '../../../platform/repositories/index.ts'
import { Milestone } from '../../milestones/index.ts'
import { may, type Project } from '../../projects/index.ts'
import { renderMarkdownOf } from '../../uploads/index.ts'
import { presentingUsers, usersByIds } from '../../users/index.ts'
import { evidencesOf } from '../evidence/store.ts'
import { linksOf } from '../links/store.ts'
import { milestonesOf } from '../milestones/store.ts'
import type { ReleaseRow } from '../tables.ts'
import type { ReleaseView } from './params.ts'
import { type PresentedRelease, Release } from './present.ts'

/** The maximal number of repositories that one page reads at once. */
const repositoriesAtOnce = 4

/** The commits of releases, by the id of the release. */
async function commitsOf(platform: Platform, releases: readonly ReleaseRow[]): Promise<Map<number, Commit>> {
  const found = new Map<number, Commit>()
  const byProject = Map.groupBy(releases, ({ project_id }) => project_id)
  const rows = byProject.size === 0 ? [] : await repositoriesOfProjects(platform.database.read, [...byProject.keys()])
  for (let from = 0; from < rows.length; from += repositoriesAtOnce) {
    const readings = rows.slice(from, from + repositoriesAtOnce).map(async (row) => {
      const own = byProject.get(row.project_id ?? 0) ?? []
      const oidOf = ({ sha }: ReleaseRow) => parseOid(sha ?? '')
      const oids = own.map(oidOf).filter((oid) => oid !== null)
      const commits = oids.length === 0 ? new Map() : await (await openRow(platform, row)).commits(oids)
      for (const release of own) {
        const commit = commits.get(oidOf(release))
        if (commit) found.set(release.id, commit)
      }
    })
    await Promise.all(readings)
  }
  return found
}

/** Renders descriptions to HTML, and yields to the event loop after each. */
async function htmlOf(releases: readonly ReleaseRow[]): Promise<Map<number, string>> {
  const html = new Map<number, string>()
  for (const { id, project_id: projectId, description } of releases) {
    html.set(id, renderMarkdownOf({ kind: 'project', id: projectId }, description ?? ''))
    await setImmediate()
  }
  return html
}

/** Presents a page of releases with one load for each fact; releases of projects that are not given are left out. */
export async function presentReleases(
  platform: Platform,
  actor: Actor,
  releases: readonly ReleaseRow[],
  projects: readonly Project[],
  { simple = false, include_html_description: withHtml = false }: ReleaseView,
): Promise<PresentedRelease[]> {
  const db = platform.database.read
  const known = new Map(projects.map((project) => [project.id, project]))
  const readable = new Set(projects.filter((one) => may(actor, one, 'read_code')).map(({ id }) => id))
  const full = simple ? [] : releases
  const ids = full.map(({ id }) => id)
  const authorIds = full.flatMap(({ author_id }) => author_id ?? [])
  const withCode = full.filter(({ project_id }) => readable.has(project_id))
  const [presenting, links, evidences, milestones, authors, commits] = await Promise.all([
    presentingUsers(platform),
    linksOf(db, ids),
    evidencesOf(db, ids),
    milestonesOf(db, ids),
    usersByIds(db, authorIds),
    commitsOf(platform, withCode),
  ])
  const view = { ...presenting, isShort: simple }
  const html = withHtml ? await htmlOf(releases) : new Map<number, string>()
  const linksById = Map.groupBy(links, ({ release_id }) => release_id)
  const evidencesById = Map.groupBy(evidences, ({ release_id }) => release_id)
  return releases.flatMap((release) => {
    const project = known.get(release.project_id)
    if (!project) return []
    const own = milestones.get(release.id) ?? []
    const readsPlans = own.length > 0 && may(actor, project, 'read_milestones')
    const shown = {
      ...{ release, project },
      author: authors.get(release.author_id ?? 0),
      commit: commits.get(release.id),
      links: linksById.get(release.id) ?? [],
      evidences: evidencesById.get(release.id) ?? [],
      milestones: readsPlans ? own.map((row) => Milestone.present(row, platform)) : [],
      descriptionHtml: html.get(release.id),
      readsCode: readable.has(project.id),
      mayEdit: may(actor, project, 'push_code'),
    }
    return [Release.present(shown, view)]
  })
}

/** Presents one release. */
export async function presentOne(
  platform: Platform,
  actor: Actor,
  release: ReleaseRow,
  project: Project,
  view: ReleaseView = {},
): Promise<PresentedRelease> {
  const [presented] = await presentReleases(platform, actor, [release], [project], view)
  if (!presented) throw new Error(`release ${release.id} is of another project`)
  return presented
}
