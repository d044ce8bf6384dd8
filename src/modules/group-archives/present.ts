import { forms, oneOf, type Static, Type } from '../../api/index.ts'
import type { Platform } from '../../platform/index.ts'
import type { NamespaceRow } from '../namespaces/index.ts'
import { exportState, exportStates, importOf } from '../transfer-archives/index.ts'

const identity = {
  id: forms.id,
  name: Type.String(),
  path: Type.String(),
  full_path: Type.String(),
  created_at: forms.timestamp,
}

const identityOf = ({ id, name, path, full_path, created_at }: NamespaceRow) => ({
  ...{ id, name, path, full_path, created_at },
})

/** The export of a group (contract 25, x.group_export_get). */
export const GroupExportStatus = Type.Object(
  {
    ...identity,
    export_status: oneOf(exportStates),
    _links: Type.Optional(Type.Object({ api_url: Type.String(), web_url: Type.String() })),
  },
  { title: 'GroupExportStatus' },
)

/** What is, or was, imported into a group (contract 25, x.group_import_get). */
export const GroupImportStatus = Type.Object(
  {
    ...identity,
    import_status: oneOf(['none', 'scheduled', 'started', 'finished', 'failed']),
    import_error: forms.nullableString,
  },
  { title: 'GroupImportStatus' },
)

/** The state of the export of a group, with the addresses of its archive where there is one. */
export async function presentExport(
  platform: Platform,
  group: NamespaceRow,
): Promise<Static<typeof GroupExportStatus>> {
  const { externalUrl } = platform
  const export_status = await exportState(platform, { kind: 'group', id: group.id })
  const isThere = export_status === 'finished' || export_status === 'regeneration_in_progress'
  const _links = {
    api_url: `${externalUrl}/api/v4/groups/${group.id}/export/download`,
    web_url: `${externalUrl}/groups/${group.full_path}/-/download_export`,
  }
  return { ...identityOf(group), export_status, ...(isThere && { _links }) }
}

/** The state of the import into a group. */
export async function presentImport(
  { database }: Platform,
  group: NamespaceRow,
): Promise<Static<typeof GroupImportStatus>> {
  const row = await importOf(database.read, { kind: 'group', id: group.id })
  return { ...identityOf(group), import_status: row?.state ?? 'none', import_error: row?.error ?? null }
}
