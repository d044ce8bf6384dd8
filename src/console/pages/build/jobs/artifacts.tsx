import {
  type JobObject,
  jobArtifactsDelete,
  jobArtifactsFile,
  jobArtifactsGet,
  jobArtifactsKeep,
  jobArtifactsTree,
  jobsGet,
} from '../../../operations.ts'
import { numberIn, page, type Visit } from '../../../page.ts'
import { Confirm } from '../../../parts/confirm.tsx'
import { Do } from '../../../parts/form.tsx'
import { Empty, Icon, Pages, Time } from '../../../parts/parts.tsx'
import { at, folderOf, pathOf } from '../../code/places.ts'
import { artifactsAt } from './facts.tsx'

const units = ['bytes', 'KiB', 'MiB', 'GiB']

function size(bytes: number): string {
  const step = Math.min(units.length - 1, bytes < 1 ? 0 : Math.floor(Math.log2(bytes) / 10))
  const value = bytes / 1024 ** step
  return `${step === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[step]}`
}

const callOf = (visit: Visit) => ({ id: visit.project.id, job_id: numberIn(visit, 'job') })

/** The artifacts of a job beside its log. */
export function ArtifactsFact({ visit, job, mayRun }: { visit: Visit; job: JobObject; mayRun: boolean }) {
  if (!job.artifacts_file) return <></>
  const call = { id: visit.project.id, job_id: job.id }
  return (
    <section>
      <h2>Artifacts</h2>
      <p>
        {size(job.artifacts_file.size)} · <a href={artifactsAt(visit, job.id)}>Browse</a> ·{' '}
        <a href={at(visit, `jobs/${job.id}/artifacts/download`)} download>
          Download
        </a>
      </p>
      {job.artifacts_expire_at && (
        <p class="soft">
          Expire <Time at={job.artifacts_expire_at} />
        </p>
      )}
      {mayRun && (
        <div class="actions">
          {job.artifacts_expire_at && (
            <Do visit={visit} performs={jobArtifactsKeep} call={call} kind="quiet">
              Keep
            </Do>
          )}
          <Confirm label="Delete" question="Delete the artifacts of this job? The log stays.">
            <Do visit={visit} performs={jobArtifactsDelete} call={call} kind="danger">
              Delete the artifacts
            </Do>
          </Confirm>
        </div>
      )}
    </section>
  )
}

/** A folder of the artifacts of a job. */
async function showFolder(visit: Visit) {
  const call = callOf(visit)
  const folder = visit.params.path ?? ''
  const [job, found] = await Promise.all([
    visit.find(jobsGet, call),
    visit.read(jobArtifactsTree, { ...call, path: folder, per_page: 100, page: visit.number }),
  ])
  const fileAt = (path: string) => at(visit, `jobs/${call.job_id}/artifacts/raw/${pathOf(path)}`)
  const folders = folder === '' ? [] : folder.split('/')
  return {
    title: folders.at(-1) ?? 'Artifacts',
    crumbs: [
      ['Jobs', at(visit, 'jobs')] as const,
      [job?.name ?? `#${call.job_id}`, at(visit, `jobs/${call.job_id}`)] as const,
      ...(folder === '' ? [] : [['Artifacts', artifactsAt(visit, call.job_id)] as const]),
      ...folders
        .slice(0, -1)
        .map((name, index) => [name, artifactsAt(visit, call.job_id, folders.slice(0, index + 1).join('/'))] as const),
    ],
    actions: (
      <a class="button" href={at(visit, `jobs/${call.job_id}/artifacts/download`)} download>
        Download all
      </a>
    ),
    body: (
      <div>
        {found.items.length === 0 && <Empty title="There are no files here." />}
        <div class="panel">
          <table class="tree artifacts" aria-label="Files">
            <tbody>
              {folder !== '' && (
                <tr>
                  <td>
                    <Icon name="folder" label="Folder" />
                  </td>
                  <th scope="row">
                    <a href={artifactsAt(visit, call.job_id, folderOf(folder))} aria-label="Folder above">
                      ..
                    </a>
                  </th>
                  <td class="num"></td>
                </tr>
              )}
              {found.items.map(({ name, path, type, size: bytes }) => (
                <tr>
                  <td>
                    <Icon name={type === 'file' ? 'file' : 'folder'} label={type === 'file' ? 'File' : 'Folder'} />
                  </td>
                  <th scope="row">
                    {type === 'file' ? (
                      <a href={fileAt(path)} download>
                        {name}
                      </a>
                    ) : (
                      <a href={artifactsAt(visit, call.job_id, path.replace(/\/$/, ''))}>{name}</a>
                    )}
                  </th>
                  <td class="num soft">{bytes !== undefined && size(bytes)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
        <Pages path={visit.path} page={visit.number} of={found} />
      </div>
    ),
  }
}

/** The artifacts of a job as a tree. */
export const artifacts = [
  page({ at: 'project', path: 'jobs/:job/artifacts/browse', show: showFolder }),
  page({ at: 'project', path: 'jobs/:job/artifacts/browse/*path', show: showFolder }),
  page({
    at: 'project',
    path: 'jobs/:job/artifacts/raw/*path',
    async show(visit) {
      const file = { ...callOf(visit), artifact_path: visit.params.path ?? '' }
      return { file: await visit.read(jobArtifactsFile, file) }
    },
  }),
  page({
    at: 'project',
    path: 'jobs/:job/artifacts/download',
    async show(visit) {
      return { file: await visit.read(jobArtifactsGet, callOf(visit)) }
    },
  }),
]
