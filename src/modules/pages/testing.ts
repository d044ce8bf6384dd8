/** Sites of projects, published by rows of jobs, for tests. */
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import { now } from '../../infra/database/index.ts'
import { randomHex } from '../../infra/secrets/index.ts'
import { handled } from '../../infra/streams/index.ts'
import { type TestServer, zipOf } from '../../testing/index.ts'
import type { ConfigPages } from '../ci-config/index.ts'
import { finishJob, storeArtifact } from '../pipelines/index.ts'
import { jobWithToken } from '../pipelines/testing.ts'

export type Published = {
  /** The files of the archive by name, or the archive. */
  archive: Buffer | Record<string, string> | null
  pages?: Partial<ConfigPages> | null
  userId: number
}

const usual: ConfigPages = { publish: 'public', pathPrefix: null, expireIn: null }

/** Ends a job of a project that publishes this; its site was published when the promise resolves. @returns the id of its pipeline */
export async function publishFor(
  server: TestServer,
  projectId: number,
  { archive, pages = {}, userId }: Published,
): Promise<number> {
  const { platform } = server.app
  const { id, pipelineId } = await jobWithToken(server, { projectId, userId })
  const definition = { pages: pages && { ...usual, ...pages }, allowFailureExitCodes: [], retry: { max: 0, when: [] } }
  await platform.database.write((tx) =>
    tx
      .insertInto('ci_job_definitions')
      .values({ job_id: id, definition: JSON.stringify(definition) })
      .execute(),
  )
  if (archive) {
    const content = handled(Readable.from([Buffer.isBuffer(archive) ? archive : zipOf(archive)]))
    await storeArtifact(
      platform,
      { id, project_id: projectId },
      {
        ...{ fileType: 'archive', fileFormat: 'zip', fileName: 'artifacts.zip', content, accessLevel: 'all' },
        ...{ expireAt: null, maxBytes: 1e9 },
      },
    )
  }
  await finishJob(platform, { id, pipeline_id: pipelineId, project_id: projectId }, { state: 'success' })
  await platform.jobs.drain()
  return pipelineId
}

/** The row of a deployment, without an object, for tests that are about something else. */
export async function makeDeployment({ app }: TestServer, projectId: number): Promise<void> {
  const { database, clock } = app.platform
  const row = {
    ...{ project_id: projectId, path_prefix: '', root_directory: 'public', job_id: 1, pipeline_id: 1, ref: 'main' },
    ...{ secret: randomHex(16), file_count: 1, size_bytes: 1, object_bytes: 2, root_offset: 1, sha256: '' },
    ...{ created_at: now(clock), expires_at: null },
  }
  await database.write((tx) => tx.insertInto('pages_deployments').values(row).execute())
}

/** What the commit status of a pipeline says about its site; null when there is none. */
export async function outcomeOf({ app }: TestServer, pipelineId: number): Promise<string | null> {
  const row = await app.platform.database.read
    .selectFrom('ci_jobs')
    .select(['status', 'description'])
    .where('pipeline_id', '=', pipelineId)
    .where('name', '=', 'pages:deploy')
    .where('retried', '=', false)
    .executeTakeFirst()
  return row ? `${row.status}: ${row.description}` : null
}

export type SiteAnswer = { status: number; headers: IncomingHttpHeaders; body: string; bytes: Buffer }

/** Requests an address of a site: its host is that of the address, and the server is this one. */
export function visit(
  server: { url: string },
  address: string,
  { method = 'GET', headers = {} }: { method?: string; headers?: Record<string, string> } = {},
): Promise<SiteAnswer> {
  const { hostname, port } = new URL(server.url)
  const [, host = '', path = '/'] = /^https?:\/\/([^/]+)(\/.*)?$/.exec(address) ?? []
  return new Promise((resolve, reject) => {
    const sent = httpRequest({ hostname, port, method, path, headers: { Host: host, ...headers } }, (answer) => {
      const parts: Buffer[] = []
      answer.on('data', (part) => parts.push(part))
      answer.on('error', reject)
      answer.on('end', () => {
        const bytes = Buffer.concat(parts)
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: bytes.toString(), bytes })
      })
    })
    sent.on('error', reject)
    sent.end()
  })
}
