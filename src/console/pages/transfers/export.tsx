import type { Operation } from '../../../api/index.ts'
import type { Child, Html } from '../../html/index.ts'
import { projectExportDownload, projectExportGet, projectExportStart } from '../../operations.ts'
import { page, type Visit } from '../../page.ts'
import { Do } from '../../parts/form.tsx'
import { Icon } from '../../parts/parts.tsx'
import { Refusal } from '../../parts/refusal.tsx'
import { at } from '../code/places.ts'

const words: Readonly<Record<string, string>> = {
  none: 'There is no archive.',
  queued: 'The archive is going to be written.',
  started: 'The archive is being written.',
  finished: 'The archive is written. It stays for a day.',
  regeneration_in_progress: 'A newer archive is being written; until then, the former one can be downloaded.',
}
/** Whether an archive is being written. */
export const isBusy = (status: string): boolean => ['queued', 'started', 'regeneration_in_progress'].includes(status)

type Links = { api_url: string; web_url: string } | undefined

type ArchiveProps = {
  visit: Visit
  status: string
  links: Links
  start: Operation
  id: number
  /** The address of the download. */
  download: string
  /** What an archive has in it. */
  children: Child
}

/** The state of an archive, its download, and a button that has it written. */
export function Archive({ visit, status, links, start, id, download, children }: ArchiveProps): Html {
  return (
    <div class="derived">
      <Refusal visit={visit} />
      <p class="lead">{children}</p>
      <div data-live="archive">
        <p>{words[status]}</p>
        {links && (
          <p>
            <a class="button" href={download} download>
              <Icon name="download" />
              Download
            </a>
          </p>
        )}
      </div>
      {!isBusy(status) && (
        <Do visit={{ ...visit, refused: null }} performs={start} call={{ id }} kind="primary">
          {links ? 'Write a newer archive' : 'Write the archive'}
        </Do>
      )}
    </div>
  )
}

/** The archive of a whole project: its state, a button that has it written, and the download. */
export const projectArchive = page({
  at: 'project',
  path: 'export',
  nav: { section: 'Settings', label: 'Archive', operation: projectExportGet },
  performs: [projectExportStart],
  async show(visit) {
    const { id } = visit.project
    const { export_status: status, _links: links } = await visit.read(projectExportGet, { id })
    return {
      title: 'Archive',
      refreshes: isBusy(status),
      body: (
        <Archive {...{ visit, status, links, start: projectExportStart, id }} download={at(visit, 'export/download')}>
          One file with the repository, the wiki, issues, merge requests, snippets and settings of this project, of
          which another server makes a project. Variables, tokens, hooks, packages, images and the logs of jobs are not
          in it.
        </Archive>
      ),
    }
  },
})

/** The archive of a project. It has an address beside that of the API, which does not know sessions. */
export const downloadedArchive = page({
  at: 'project',
  path: 'export/download',
  under: 'export',
  show: async ({ read, project: { id } }) => ({ file: await read(projectExportDownload, { id }) }),
})
