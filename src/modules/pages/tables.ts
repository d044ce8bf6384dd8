/** Sites of projects, and what was published of them (contract 24, Pages). */
import { partial, type RowOf, type TablesOf, t, table } from '../../infra/database/index.ts'

/** What does not change when a project is renamed or its site published again. Made when it is first asked for. */
export const pagesSites = table(
  'pages_sites',
  {
    project_id: t.refers('projects', 'cascade').primaryKey(),
    /** The label of the host that the site has for itself, in lower case. */
    unique_name: t.text(),
    /** Whether the site is at that host, and not below that of its namespace. */
    unique_domain_enabled: t.boolean(),
    /** Null: by the scheme of Pages. */
    https_only: t.boolean().nullable(),
    /** The domain to which the others lead. */
    primary_domain_id: t.refers('group_domains', 'set null').nullable(),
    created_at: t.time(),
  },
  {
    unique: { name: ['unique_name'] },
    indexes: { primary_domain: partial('primary_domain_id') },
  },
)

/** What a job has published, the latest of each prefix. Its files are one object. */
export const pagesDeployments = table(
  'pages_deployments',
  {
    id: t.id(),
    project_id: t.refers('projects', 'cascade'),
    /** The first segment of its paths; empty: it is the main site. */
    path_prefix: t.name(),
    /** The folder of the archive that was published. */
    root_directory: t.text(),
    /** Job and pipeline may have been deleted. */
    job_id: t.bigint(),
    pipeline_id: t.bigint(),
    ref: t.name(),
    /** The random part of the key of its object. */
    secret: t.text(),
    file_count: t.integer(),
    /** Sum of the sizes of the files. */
    size_bytes: t.bigint(),
    /** Size and digest of the object: the files, their index, and the list of the parts of the index, which begins at `root_offset`. */
    object_bytes: t.bigint(),
    root_offset: t.bigint(),
    sha256: t.text(),
    created_at: t.time(),
    /** Null: it stays. */
    expires_at: t.time().nullable(),
  },
  {
    unique: { prefix: ['project_id', 'path_prefix'], secret: ['secret'] },
    indexes: { order: ['project_id', 'id'], expiry: partial('expires_at', 'id') },
  },
)

/** Short codes with which visitors come back from signing in, each for one host and one use. */
export const pagesCodes = table(
  'pages_codes',
  {
    id: t.id(),
    /** SHA-256 of the code. */
    digest: t.text(),
    session_id: t.refers('sessions', 'cascade'),
    hostname: t.text(),
    expires_at: t.time(),
  },
  { unique: { digest: ['digest'] }, indexes: { session: ['session_id'], expiry: ['expires_at'] } },
)

/** Visitors of sites who have signed in, each at one host. They end with the session of the browser at the server. */
export const pagesSessions = table(
  'pages_sessions',
  {
    id: t.id(),
    /** SHA-256 of the token that the browser has. */
    digest: t.text(),
    session_id: t.refers('sessions', 'cascade'),
    hostname: t.text(),
    expires_at: t.time(),
  },
  { unique: { digest: ['digest'] }, indexes: { session: ['session_id'], expiry: ['expires_at'] } },
)

export type PagesSiteRow = RowOf<typeof pagesSites>
export type PagesDeploymentRow = RowOf<typeof pagesDeployments>

declare module '../../infra/database/tables.ts' {
  interface Tables
    extends TablesOf<typeof pagesSites | typeof pagesDeployments | typeof pagesCodes | typeof pagesSessions> {}
}
