import { linksOfReleases, type ReleaseRow } from '../../releases/index.ts'
import type { Completion } from '../tables.ts'
import { type Building, type NamedProject, projectPayload, utc, webUrl } from './parts.ts'

const formats = ['zip', 'tar.gz', 'tar.bz2', 'tar'] as const

export function releaseCommitAt(row: ReleaseRow): Completion[] {
  return row.sha === null ? [] : [{ path: ['commit'], projectId: row.project_id, sha: row.sha, form: 'commit' }]
}

/** The payload of a release (contract 21 R7, `Release Hook`). */
export async function releasePayload(
  building: Building,
  project: NamedProject,
  row: ReleaseRow,
  action: 'create' | 'update' | 'delete',
) {
  const links = await linksOfReleases(building.db, [row.id])
  const base = webUrl(building, project)
  const tag = encodeURIComponent(row.tag)
  const file = `${project.row.path}-${row.tag.replaceAll('/', '-')}`
  return {
    id: row.id,
    created_at: utc(row.created_at),
    description: row.description,
    name: row.name ?? row.tag,
    released_at: utc(row.released_at),
    tag: row.tag,
    object_kind: 'release',
    project: projectPayload(building, project),
    url: `${base}/-/releases/${tag}`,
    action,
    assets: {
      count: links.length + formats.length,
      links: links.map(({ id, link_type, name, url }) => ({ id, link_type, name, url })),
      sources: formats.map((format) => ({
        format,
        url: `${base}/-/archive/${tag}/${encodeURIComponent(file)}.${format}`,
      })),
    },
    commit: row.sha === null ? null : { id: row.sha },
  }
}
