import { forms, instance, raw, reading, t, writing } from '../../api/index.ts'
import { operation } from '../../platform/index.ts'
import { group } from '../groups/index.ts'
import { downloadArchive, largestArchive, limitTransfers, startExport } from '../transfer-archives/index.ts'
import { fileAnswers } from '../uploads/index.ts'
import { importGroup } from './importing/start.ts'
import { GroupExportStatus, GroupImportStatus, presentExport, presentImport } from './present.ts'

const shared = { tag: 'Group archives', subject: group, allow: 'export_relations' } as const

export const groupExportStart = operation({
  ...shared,
  id: 'group_export.start',
  contract: 'x.group_export_start',
  method: 'POST',
  path: '/groups/:id/export',
  summary: 'Start the export of a group as one archive',
  description: 'An export that is under way goes on.',
  scopes: writing,
  result: [202, forms.accepted],
  async run({ platform, subject, actor }) {
    await limitTransfers(platform, actor, 'group_export_limit')
    return startExport(platform, { kind: 'group', id: subject.id }, actor)
  },
})

export const groupExportGet = operation({
  ...shared,
  id: 'group_export.get',
  contract: 'x.group_export_get',
  method: 'GET',
  path: '/groups/:id/export',
  summary: 'Get the state of the export of a group',
  scopes: reading,
  result: [200, GroupExportStatus],
  run: ({ platform, subject }) => presentExport(platform, subject),
})

export const groupExportDownload = operation({
  ...shared,
  id: 'group_export.download',
  contract: 'x.group_export_download',
  method: 'GET',
  path: '/groups/:id/export/download',
  summary: 'Download the archive of a group',
  scopes: reading,
  result: [200, { ...raw, mediaType: 'application/gzip' }],
  answers: { 206: fileAnswers[206] },
  async run({ platform, subject, actor, request, setStatus }) {
    const file = await downloadArchive(platform, { request, setStatus }, { kind: 'group', id: subject.id })
    await limitTransfers(platform, actor, 'group_download_export_limit', subject.id)
    return file
  },
})

export const groupImportCreate = operation({
  tag: 'Group archives',
  subject: instance,
  allow: 'authenticated',
  id: 'group_import.create',
  contract: 'x.group_import',
  method: 'POST',
  path: '/groups/import',
  summary: 'Import a group from an archive',
  description: 'The group exists when the answer goes out; a job fills it.',
  scopes: writing,
  params: {
    file: t.requiredFile({ description: 'An archive of a group, `.tar.gz`' }),
    path: t.required(t.string({ description: 'Path of the new group' })),
    name: t.required(t.string({ description: 'Name of the new group' })),
    parent_id: t.integer({ description: 'The group above; without one the group is at the top level' }),
  },
  result: [202, forms.accepted],
  largestFileBytes: largestArchive,
  async run({ platform, actor, request, params: { file, ...wanted } }) {
    await importGroup(platform, { actor, request }, file, wanted)
    return { message: '202 Accepted' }
  },
})

export const groupImportGet = operation({
  ...shared,
  id: 'group_import.get',
  contract: 'x.group_import_get',
  method: 'GET',
  path: '/groups/:id/import',
  summary: 'Get the state of the import of a group',
  scopes: reading,
  result: [200, GroupImportStatus],
  run: ({ platform, subject }) => presentImport(platform, subject),
})
