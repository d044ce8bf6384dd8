/** How modules export their rows for other servers, and import those of others (contracts 14 and 25). */
export type { ExportedFile, ExportedFiles, ExportedLine, ExportedLines, OpenedFile, Portable } from './exported.ts'
export {
  authoredText,
  type ImportedFile,
  type ImportedUsers,
  type ImportFile,
  type Importing,
  type ImportLine,
  type ImportSource,
  importMembers,
  type RecordImported,
  userOf,
  userOrImporter,
} from './imported.ts'
export {
  BadLine,
  booleanOf,
  dateOf,
  type ImportedLine,
  iidOf,
  integerOf,
  lineOf,
  linesOf,
  numberOf,
  requiredText,
  requiredTime,
  shaOf,
  textOf,
  timeOf,
  timesOf,
  wordOf,
} from './values.ts'
