/** What stands in the placeholders; without a value a placeholder stays. */
export type Values = { year: string; holder: string | undefined; project: string | undefined }

/** The names of placeholders, in lower case (contract 24, "Templates"). */
const valueNames: Readonly<Record<string, keyof Values>> = {
  year: 'year',
  yyyy: 'year',
  fullname: 'holder',
  'copyright holder': 'holder',
  'copyright holders': 'holder',
  'copyright holder(s)': 'holder',
  owner: 'holder',
  'name of author': 'holder',
  'name of copyright owner': 'holder',
  project: 'project',
  description: 'project',
  "one line to give the program's name and a brief idea of what it does.": 'project',
}

const placeholder = /<([^<>\n]{1,100})>|\[([^[\]\n]{1,100})\]|\{([^{}\n]{1,100})\}/g

/** Fills the placeholders of a licence: names in `<…>`, `[…]` or `{…}`, in any case. Values are inserted as they are. */
export function fillPlaceholders(text: string, values: Values): string {
  return text.replace(placeholder, (whole, ...names: (string | undefined)[]) => {
    const name = (names[0] ?? names[1] ?? names[2] ?? '').toLowerCase()
    const known = Object.hasOwn(valueNames, name) ? valueNames[name] : undefined
    return (known && values[known]) ?? whole
  })
}
