import { invalid, notFound, oneOf, raw, reading, type Static, Type, t, writing } from '../../../api/index.ts'
import { operation, type Platform } from '../../../platform/index.ts'
import { type Project, ProjectSummary, project, projectSummaries, readRemoteAddress } from '../../projects/index.ts'
import {
  downloadArchive,
  exportState,
  exportStates,
  limitTransfers,
  startExport,
  uploadMethods,
} from '../../transfer-archives/index.ts'
import { fileAnswers } from '../../uploads/index.ts'

/** The export of a project (contract 25, ExportStatus). */
const ExportStatus = Type.Object(
  {
    ...ProjectSummary.properties,
    export_status: oneOf(exportStates),
    _links: Type.Optional(Type.Object({ api_url: Type.String(), web_url: Type.String() })),
  },
  { title: 'ProjectExportStatus' },
)

/** Switched off, exports do not exist for anyone, whatever their role (contract 25, Archives). */
const exportedProject: typeof project = {
  ...project,
  async find(platform, request, actor) {
    const found = await project.find(platform, request, actor)
    if (!(await platform.settings.current()).project_export_enabled) throw notFound()
    return found
  },
}

const ownerOf = ({ id }: Pick<Project, 'id'>) => ({ kind: 'project' as const, id })

/** The state of an export, with the addresses of its archive where there is one. */
async function statusOf(platform: Platform, found: Project): Promise<Static<typeof ExportStatus>> {
  const state = await exportState(platform, ownerOf(found))
  const summary = (await projectSummaries(platform.database.read, [found.id])).get(found.id)
  if (!summary) throw notFound('Project')
  if (state !== 'finished' && state !== 'regeneration_in_progress') return { ...summary, export_status: state }
  const { externalUrl } = platform
  const links = {
    api_url: `${externalUrl}/api/v4/projects/${found.id}/export/download`,
    web_url: `${externalUrl}/${found.full_path}/download_export`,
  }
  return { ...summary, export_status: state, _links: links }
}

type GivenUpload = { url?: string; http_method?: (typeof uploadMethods)[number] }

/** @throws ApiError 400 when the archive must not be sent there */
async function checkedUpload({ settings }: Platform, { url = '', http_method: method = 'PUT' }: GivenUpload) {
  const read = readRemoteAddress(url, ['http', 'https'], await settings.current())
  if (typeof read === 'string') throw invalid({ url: [read] })
  return { url, method }
}

const shared = { tag: 'Project archives', subject: exportedProject, allow: 'export_relations' } as const

export const projectExportStart = operation({
  ...shared,
  id: 'project_export.start',
  contract: 'x.project_export_start',
  method: 'POST',
  path: '/projects/:id/export',
  summary: 'Start the export of a project as one archive',
  description: 'An export that is under way goes on.',
  scopes: writing,
  params: {
    description: t.string({ description: 'Replaces the description of the project in the archive' }),
    upload: t.object(
      {
        url: t.string({ description: 'Address to which the archive is sent' }),
        http_method: t.oneOf(uploadMethods),
      },
      { description: 'Sends the archive to an address instead of storing it' },
    ),
  },
  result: [202, Type.Object({ message: Type.String() })],
  async run({ platform, subject, actor, params: { description, upload } }) {
    const checked = upload && (await checkedUpload(platform, upload))
    await limitTransfers(platform, actor, 'project_export_limit')
    return startExport(platform, ownerOf(subject), actor, { description, upload: checked })
  },
})

export const projectExportGet = operation({
  ...shared,
  id: 'project_export.get',
  contract: 'x.project_export_get',
  method: 'GET',
  path: '/projects/:id/export',
  summary: 'Get the state of the export of a project',
  scopes: reading,
  result: [200, ExportStatus],
  run: ({ platform, subject }) => statusOf(platform, subject),
})

export const projectExportDownload = operation({
  ...shared,
  id: 'project_export.download',
  contract: 'x.project_export_download',
  method: 'GET',
  path: '/projects/:id/export/download',
  summary: 'Download the archive of a project',
  scopes: reading,
  result: [200, { ...raw, mediaType: 'application/gzip' }],
  answers: { 206: fileAnswers[206] },
  async run({ platform, subject, actor, request, setStatus }) {
    const file = await downloadArchive(platform, { request, setStatus }, ownerOf(subject))
    await limitTransfers(platform, actor, 'project_download_export_limit', subject.id)
    return file
  },
})
