import { t } from '../../../api/index.ts'

/** More titles in one request than any issuable has labels. */
const mostTitles = 1_000

/** Titles of labels that a request gives to an issuable or takes from it, in a list or separated by commas. */
export const labelTitles = (description: string) =>
  t.array(t.string(), { commaSeparated: true, maximum: mostTitles, description })
