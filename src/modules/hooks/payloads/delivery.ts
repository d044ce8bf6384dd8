import type { DeploymentRow, EnvironmentRow } from '../../environments/index.ts'
import { linksOfReleases, type ReleaseRow } from '../../releases/index.ts'
import type { Completion } from '../tables.ts'
import { type Building, type NamedProject, oneUserPayload, projectPayload, utc, webUrl } from './parts.ts'

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

/** The payload of a deployment (contract 21 R7, `Deployment Hook`). */
export async function deploymentPayload(
  building: Building,
  project: NamedProject,
  row: DeploymentRow,
  environment: EnvironmentRow,
) {
  const url = webUrl(building, project)
  const user = await oneUserPayload(building, row.user_id)
  return {
    object_kind: 'deployment',
    status: row.status,
    status_changed_at: utc(row.updated_at),
    deployment_id: row.id,
    deployable_id: row.job_id,
    deployable_url: row.job_id === null ? null : `${url}/-/jobs/${row.job_id}`,
    environment: environment.name,
    environment_tier: environment.tier,
    environment_slug: environment.slug,
    environment_external_url: environment.external_url,
    project: projectPayload(building, project),
    ref: row.ref,
    short_sha: row.sha.slice(0, 8),
    user,
    commit_url: `${url}/-/commit/${row.sha}`,
  }
}
