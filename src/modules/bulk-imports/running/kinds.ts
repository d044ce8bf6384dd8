import type { Importing, ImportLine } from '../../../platform/index.ts'
import { importGroupAttributes, importNamespaceSettings } from '../../groups/index.ts'
import { importProjectAttributes } from '../../projects/index.ts'
import { importedGroupRelations, importedProjectRelations, type RelationImport } from '../../transfer-archives/index.ts'

const lines = (name: string, importLine: ImportLine, of = name): RelationImport => ({
  name,
  of,
  form: 'lines',
  importLine,
})

/** Members are read by the list of the source, which exports none. */
const areExported = ({ name }: RelationImport) => !['members', 'project_members'].includes(name)

/** The relations of each kind of entity, in the order in which they are imported (contract 25, What an import makes). */
export const importedRelations: Readonly<Record<Importing['kind'], readonly RelationImport[]>> = {
  group: [
    lines('self', importGroupAttributes),
    lines('namespace_settings', importNamespaceSettings),
    ...importedGroupRelations.filter(areExported),
  ],
  project: [
    ...importedProjectRelations.filter(areExported),
    // Last: an archived project refuses what is written to it.
    lines('attributes', importProjectAttributes, 'self'),
  ],
}
