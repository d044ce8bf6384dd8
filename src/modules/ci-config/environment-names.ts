const characters = /^[A-Za-z0-9\-_/${}. ]+$/

/** Whether a text has the characters of a name of an environment, which a key of a resource group has, too (contract 24). */
export const hasEnvironmentCharacters = (text: string): boolean =>
  characters.test(text) && !text.startsWith('/') && !text.endsWith('/')
