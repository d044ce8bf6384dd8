import { type ParamValues, t } from '../../../api/index.ts'
import { writableFormats } from './formats.ts'

/** Parameters of x.wikis_update. */
export const pageChanges = {
  title: t.string({ description: 'Blanks become dashes in the slug; slashes separate directories.' }),
  content: t.string({ description: 'The whole text.' }),
  format: t.oneOf(writableFormats, { description: 'Markup of the text; default `markdown` for a new page.' }),
}
export type PageChanges = ParamValues<typeof pageChanges>

/** Parameters of x.wikis_create. */
export const newPage = {
  ...pageChanges,
  title: t.required(pageChanges.title),
  content: t.required(pageChanges.content),
}
export type NewPage = ParamValues<typeof newPage>
