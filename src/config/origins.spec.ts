import { origin, origins, originOf } from './origins.js';

describe('A setting of one origin', () => {
  it.each([
    ['https://App.Example.com/', 'https://app.example.com'],
    ['https://app.example.com:443', 'https://app.example.com'],
    ['https://xn--e1afmkfd.xn--p1ai', 'https://xn--e1afmkfd.xn--p1ai'],
    ['https://пример.рф', 'https://xn--e1afmkfd.xn--p1ai'],
    ['https://bücher.example', 'https://xn--bcher-kva.example'],
    ['http://intranet:8080', 'http://intranet:8080'],
    ['https://my_app.example.com', 'https://my_app.example.com'],
    ['http://[2001:DB8::1]:3000', 'http://[2001:db8::1]:3000'],
    ['http://203.0.113.7', 'http://203.0.113.7'],
  ])('reads %s as browsers send it', (text, read) => expect(origin.read(text)).toBe(read));

  it.each([
    'app.example.com',
    'https://app.example.com/start',
    'https://app.example.com?a=1',
    'https://user:password@app.example.com',
    'https://*.example.com',
    'https://app..example.com',
    'https://[::g]',
    'https://',
    'capacitor://localhost',
    'ftp://app.example.com',
  ])('rejects %s', (text) => expect(origin.read(text)).toBeUndefined());
});

describe('A setting of several origins', () => {
  it('accepts web sites and mobile and desktop applications together', () => {
    expect(
      origins.read(
        ' http://localhost:5173 ,capacitor://localhost/,ionic://localhost,Tauri://LocalHost,app://-,https://пример.рф:8443',
      ),
    ).toEqual([
      'http://localhost:5173',
      'capacitor://localhost',
      'ionic://localhost',
      'tauri://localhost',
      'app://-',
      'https://xn--e1afmkfd.xn--p1ai:8443',
    ]);
    const extension = 'chrome-extension://abcdefghijklmnopabcdefghijklmnop';
    expect(origins.read(extension)).toEqual([extension]);
  });

  it.each([
    '*',
    'null',
    'file:///',
    'file://host',
    'javascript://localhost',
    'data://localhost',
    'capacitor://',
    'capacitor://localhost/index.html',
    'capacitor://*',
    'capacitor://user@localhost',
    'capacitor://localhost:99999',
    'https://app.example.com,',
  ])('rejects %s', (text) => expect(origins.read(text)).toBeUndefined());
});

describe('The origin of an address', () => {
  it.each([
    ['https://app.example.com/welcome?a=1', 'https://app.example.com'],
    ['capacitor://localhost/welcome', 'capacitor://localhost'],
    ['capacitor://LOCALHOST', 'capacitor://localhost'],
    ['javascript:alert(1)//', 'null'],
    ['file:///etc/passwd', 'null'],
  ])('%s is %s', (address, expected) => expect(originOf(address)).toBe(expected));
});
