import { origins } from './readers.js';

describe('A setting of origins', () => {
  it.each([
    ['https://WWW.Example.com/', ['https://www.example.com']],
    ['https://m.example.com:443', ['https://m.example.com']],
    [
      ' http://localhost:5173 , https://m.example.com:8443',
      ['http://localhost:5173', 'https://m.example.com:8443'],
    ],
  ])('reads %s as browsers send it', (text, read) => {
    expect(origins.read(text)).toEqual(read);
  });
});
