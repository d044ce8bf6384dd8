import type { Reader } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { avatarFile, namespaceById } from '../../namespaces/index.ts'
import { type ProjectRow, projectById, settingOf } from '../../projects/index.ts'
import { type PresentingUsers, presentingUsers, presentUserBasic, type UserRow, usersByIds } from '../../users/index.ts'

/** What builds payloads: the reader sees the transaction of the event. */
export type Building = {
  platform: Platform
  db: Reader
  externalUrl: string
  /** Begins the addresses of repositories over HTTP. */
  httpPrefix: string
  users: PresentingUsers
}

export async function building(platform: Platform, db: Reader): Promise<Building> {
  const { settings, externalUrl } = platform
  const root = (await settings.current()).custom_http_clone_url_root || externalUrl
  return {
    platform,
    db,
    externalUrl,
    httpPrefix: `${root.replace(/\/+$/, '')}/`,
    users: await presentingUsers(platform),
  }
}

const visibilityLevels = { private: 0, internal: 10, public: 20 } as const

/** The numbers of visibilities, which payloads show. */
export const visibilityLevel = ({ visibility }: Pick<ProjectRow, 'visibility'>) => visibilityLevels[visibility]

/** A project with the name of its namespace. */
export type NamedProject = { row: ProjectRow; namespaceName: string }

/** Null when it is gone. */
export async function namedProject(db: Reader, projectId: number): Promise<NamedProject | null> {
  const row = await projectById(db, projectId)
  const namespace = row && (await namespaceById(db, row.namespace_id))
  return row && namespace ? { row, namespaceName: namespace.name } : null
}

export const webUrl = ({ externalUrl }: Building, { row }: NamedProject) => `${externalUrl}/${row.full_path}`

/** The member `project` (contract 21 R7). */
export function projectPayload(building: Building, project: NamedProject) {
  const { row, namespaceName } = project
  const { externalUrl, httpPrefix, platform } = building
  const ssh = `${platform.sshPrefix}${row.full_path}.git`
  const http = `${httpPrefix}${row.full_path}.git`
  const avatar = row.avatar && `${externalUrl}/uploads/-/system/project/avatar/${row.id}/${avatarFile(row.avatar)}`
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    web_url: webUrl(building, project),
    avatar_url: avatar,
    git_ssh_url: ssh,
    git_http_url: http,
    namespace: namespaceName,
    visibility_level: visibilityLevel(row),
    path_with_namespace: row.full_path,
    default_branch: row.default_branch,
    ci_config_path: settingOf(row, 'ci_config_path'),
    homepage: webUrl(building, project),
    url: ssh,
    ssh_url: ssh,
    http_url: http,
  }
}

/** The member `repository` of most events. */
export function repositoryPayload(building: Building, project: NamedProject) {
  const { name, url, description, homepage } = projectPayload(building, project)
  return { name, url, description, homepage }
}

/** The member `repository` of pushes and jobs. */
export function pushedRepositoryPayload(building: Building, project: NamedProject) {
  const { git_http_url, git_ssh_url, visibility_level } = projectPayload(building, project)
  return { ...repositoryPayload(building, project), git_http_url, git_ssh_url, visibility_level }
}

/** The address that hooks show: the public one, so that receivers do not learn another. */
export const shownEmail = ({ public_email }: Pick<UserRow, 'public_email'>) => public_email || '[REDACTED]'

/** A user as a member of a payload (contract 21 R7). */
export function userPayload({ users }: Building, user: UserRow) {
  const { id, name, username } = user
  return { id, name, username, avatar_url: presentUserBasic(user, users).avatar_url, email: shownEmail(user) }
}

/** Several, by id. */
export async function userPayloads(building: Building, ids: readonly (number | null)[]) {
  const rows = await usersByIds(
    building.db,
    ids.filter((id) => id !== null),
  )
  return new Map([...rows].map(([id, row]) => [id, userPayload(building, row)]))
}

export type UserPayload = ReturnType<typeof userPayload>

/** The user of an event; null when the account is gone. */
export async function oneUserPayload(building: Building, id: number | null): Promise<UserPayload | null> {
  return id === null ? null : ((await userPayloads(building, [id])).get(id) ?? null)
}

/** A time as most payloads write it: `2026-01-02 03:04:05 UTC`. */
export function utc(moment: string): string
export function utc(moment: string | null): string | null
export function utc(moment: string | null): string | null {
  return moment && `${moment.slice(0, 10)} ${moment.slice(11, 19)} UTC`
}

/** A time to the second: `2026-01-02T03:04:05Z`. */
export function toTheSecond(moment: string): string
export function toTheSecond(moment: string | null): string | null
export function toTheSecond(moment: string | null): string | null {
  return moment && `${moment.slice(0, 19)}Z`
}
