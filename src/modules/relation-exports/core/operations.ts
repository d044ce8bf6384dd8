import { notFound, raw, reading, Type, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { twinsOf } from '../../projects/index.ts'
import { fileAnswers } from '../../uploads/index.ts'
import { relationNamed } from '../relations.ts'
import * as exports from './exports.ts'
import { downloadParams, startParams, statusParams, wantedBatch } from './params.ts'
import { ExportStatus } from './present.ts'

const contracts = {
  project: { start: '3.37', status: '3.38', download: '3.39' },
  group: {
    start: 'x.group_export_relations.start',
    status: 'x.group_export_relations.status',
    download: 'x.group_export_relations.download',
  },
} as const

/** Exports of the relations of projects and groups, for other instances (contract 14). */
export const relationExportTwins = twinsOf(({ kind, path, subject: portable }) => {
  const subject: typeof portable = {
    ...portable,
    // Switched off, they do not exist for anyone, whatever their role (contract 14, EOFF).
    async find(platform, request, actor) {
      const found = await portable.find(platform, request, actor)
      if (!(await platform.settings.current()).bulk_import_enabled) throw notFound()
      return found
    },
  }
  const shared = { tag: 'Relation exports', subject, allow: 'export_relations' } as const
  return {
    start: operation({
      ...shared,
      id: `${kind}_export_relations.start`,
      contract: contracts[kind].start,
      method: 'POST',
      path: `${path}/export_relations`,
      summary: `Start an export of the relations of a ${kind}`,
      description: 'Relations that are being exported go on; all others are exported anew.',
      scopes: writing,
      params: startParams,
      result: [202, Type.Object({ message: Type.String() })],
      run: ({ platform, subject: found, actor, params }) =>
        exports.startExport(platform, found, actor, params.batched ?? false),
    }),
    status: operation({
      ...shared,
      id: `${kind}_export_relations.status`,
      contract: contracts[kind].status,
      method: 'GET',
      path: `${path}/export_relations/status`,
      summary: `Get the status of the exports of the relations of a ${kind}`,
      scopes: reading,
      params: statusParams,
      result: [200, Type.Array(ExportStatus)],
      run: ({ platform, subject: found, params }) => exports.exportStatus(platform, found, params.relation),
    }),
    download: operation({
      ...shared,
      id: `${kind}_export_relations.download`,
      contract: contracts[kind].download,
      method: 'GET',
      path: `${path}/export_relations/download`,
      summary: `Download the export of a relation of a ${kind}, or a batch of it`,
      scopes: reading,
      params: downloadParams(kind),
      result: [200, { ...raw, mediaType: 'application/gzip' }],
      answers: { 206: fileAnswers[206] },
      async run({ platform, subject: found, params, request, setStatus }) {
        const relation = relationNamed(kind, params.relation)
        if (!relation) throw notFound()
        const batch = wantedBatch(params)
        return exports.downloadExport(platform, { request, setStatus }, found, relation, batch)
      },
    }),
  }
})
