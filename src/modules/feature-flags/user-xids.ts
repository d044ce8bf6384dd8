const longestId = 256
const mostIds = 10_000

/** Whether a text is a list of ids of users: unique, joined by commas, without blanks around them or line breaks. */
export function isListOfIds(text: string): boolean {
  if (text === '') return true
  const ids = text.split(',')
  const isId = (id: string) => id !== '' && id.trim() === id && !/[\r\n]/.test(id) && [...id].length <= longestId
  return ids.length <= mostIds && ids.every(isId) && new Set(ids).size === ids.length
}

export const notAListOfIds = 'must be a string of unique comma separated values each 256 characters or less'
