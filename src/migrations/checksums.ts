/** The checksums of the statements of the migrations, by name and engine. The database records them; `tests/schema.test.ts` compares. */
export const checksums = {
  '0001': {
    sqlite: '886ef216662051bca2aef7193ae31981f82701b9dc1db09d2ff51cd2ecd06a32',
    postgres: '5be7d11b5934d39096eaf495bd9e7cbdf5385cd717f96b209f81f5da9bf30117',
  },
  '0002': {
    sqlite: '857464dd21d400f30aa904b4335a8cda05934cf23ded5827fbcd77858fd5b300',
    postgres: '62a85c023f852f604309147db5e16b75325d17ff53060df673d2f61a139f2667',
  },
} as const
