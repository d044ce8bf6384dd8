import {
  groupExportDownload,
  groupExportGet,
  groupExportStart,
  groupImportCreate,
  groupImportGet,
} from '../../operations.ts'
import { page } from '../../page.ts'
import { Field, Form } from '../../parts/form.tsx'
import { Refusal } from '../../parts/refusal.tsx'
import { Archive, isBusy } from './export.tsx'

/** The archive of a group: its state, a button that has it written, and the download. */
export const groupArchive = page({
  at: 'group',
  path: 'export',
  nav: { section: 'Settings', label: 'Archive', operation: groupExportGet },
  performs: [groupExportStart],
  async show(visit) {
    const { id, full_path: path } = visit.group
    const { export_status: status, _links: links } = await visit.read(groupExportGet, { id })
    return {
      title: 'Archive',
      refreshes: isBusy(status),
      body: (
        <Archive
          {...{ visit, status, links, start: groupExportStart, id }}
          download={`/groups/${path}/-/export/download`}
        >
          One file with the labels, milestones, boards, badges, epics, members and settings of this group and of the
          groups below it, of which another server makes a group. Projects have archives of their own.
        </Archive>
      ),
    }
  },
})

/** The archive of a group. It has an address beside that of the API, which does not know sessions. */
export const downloadedGroupArchive = page({
  at: 'group',
  path: 'export/download',
  under: 'export',
  show: async ({ read, group: { id } }) => ({ file: await read(groupExportDownload, { id }) }),
})

const words: Readonly<Record<string, string>> = {
  none: 'Nothing was imported into this group.',
  scheduled: 'The import is going to begin.',
  started: 'The import is under way.',
  finished: 'The import is finished.',
  failed: 'The import has failed. The group can be looked at, and deleted.',
}

/** The state of the import of a group, which is shown until it ends. */
export const groupImportProgress = page({
  at: 'group',
  path: 'import',
  under: '',
  async show(visit) {
    const { id, full_path: path } = visit.group
    const { import_status: status, import_error: error } = await visit.read(groupImportGet, { id })
    return {
      title: 'Import',
      refreshes: status === 'scheduled' || status === 'started',
      body: (
        <div class="derived" data-live="import">
          <p>{words[status]}</p>
          {error && <p class="problem">{error}</p>}
          {status === 'finished' && (
            <p>
              <a class="button primary" href={`/${path}`}>
                To the group
              </a>
            </p>
          )}
        </div>
      ),
    }
  },
})

/** Makes a group of an archive. */
export const newGroupImport = page({
  at: 'instance',
  path: 'groups/import',
  under: 'dashboard/groups',
  performs: [groupImportCreate],
  async show(visit) {
    const field = { visit, operation: groupImportCreate }
    return {
      title: 'Import a group',
      crumbs: [['Groups', '/dashboard/groups']],
      body: (
        <div class="derived">
          <Refusal visit={visit} except={groupImportCreate} />
          <p class="lead">
            A group at the top level is made of the archive of another one, of this server or of another. Below a group
            it is made by the API.
          </p>
          <Form visit={visit} performs={groupImportCreate} then="/groups/{path}/-/import" class="stack" uploads>
            <Field
              {...field}
              name="file"
              options={{ label: 'Archive', hint: 'Up to 100 MB; larger ones by the API.' }}
            />
            <Field {...field} name="path" options={{ label: 'Path' }} />
            <Field {...field} name="name" options={{ label: 'Name' }} />
            <button class="primary">Import</button>
          </Form>
        </div>
      ),
    }
  },
})
