import {
  groupExportDownload,
  groupExportGet,
  groupExportStart,
  groupImportCreate,
  groupImportGet,
  groupsGet,
  groupsList,
} from '../../operations.ts'
import { page, type Visit } from '../../page.ts'
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

/** The page leads on to the group that its form has made: the answer of the operation does not name it. */
const followed = '/-/groups/import?path={path}&parent_id={parent_id}'

/** The address of the progress of an import. @param parent id of the group above, or what is none */
async function addressOfMade(visit: Visit, path: string, parent = ''): Promise<string> {
  const above = /^\d+$/.test(parent) ? await visit.read(groupsGet, { id: parent, with_projects: false }) : null
  return `/groups/${above ? `${above.full_path}/` : ''}${encodeURIComponent(path)}/-/import`
}

/** Makes a group of an archive. */
export const newGroupImport = page({
  at: 'instance',
  path: 'groups/import',
  under: 'dashboard/groups',
  performs: [groupImportCreate],
  async show(visit) {
    if (visit.query.path) return { redirect: await addressOfMade(visit, visit.query.path, visit.query.parent_id) }
    const found = await visit.find(groupsList, { min_access_level: 40, per_page: 100 })
    const parents = (found?.items ?? []).map(({ id, full_path: path }) => [id, path] as const)
    const field = { visit, operation: groupImportCreate }
    return {
      title: 'Import a group',
      crumbs: [['Groups', '/dashboard/groups']],
      body: (
        <div class="derived">
          <Refusal visit={visit} except={groupImportCreate} />
          <p class="lead">A group is made of the archive of another one, of this server or of another.</p>
          <Form visit={visit} performs={groupImportCreate} then={followed} class="stack" uploads>
            <Field {...field} name="file" options={{ label: 'Archive', hint: 'A file that ends in .gz.' }} />
            <Field {...field} name="path" options={{ label: 'Path' }} />
            <Field {...field} name="name" options={{ label: 'Name' }} />
            <Field
              {...field}
              name="parent_id"
              options={{ label: 'Parent group', choices: parents, hint: 'Without one the group is at the top.' }}
            />
            <button class="primary">Import</button>
          </Form>
        </div>
      ),
    }
  },
})
